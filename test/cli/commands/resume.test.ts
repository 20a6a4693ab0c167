import { expect, it } from 'vitest';
import { inEmptyFolder } from '../in-empty-folder.ts';

const { run } = inEmptyFolder();

it('needs a cluster', async () => {
  expect(await run('resume')).toMatchObject({ code: 2, stderr: expect.stringContaining('--cluster <name>') });
});

it('takes no end: what was paused is resumed now', async () => {
  const { code, stderr } = await run('resume', '--cluster', 'web', '--for', '2h');
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--for'")]);
});
