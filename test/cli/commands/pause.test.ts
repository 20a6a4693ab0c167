import { describe, expect, it } from 'vitest';
import { inEmptyFolder } from '../in-empty-folder.ts';

const { run } = inEmptyFolder();

describe('outrigger pause', () => {
  it('says in its help what it stops', async () => {
    const { code, stdout } = await run('pause', '--help');
    expect(code).toBe(0);
    for (const part of ['--scale-up', '--scale-down', '--all', '--group', '--for', '--cancel-drains']) {
      expect(stdout).toContain(part);
    }
  });

  it.each([
    ['no cluster', [], "required option '--cluster <name>' not specified"],
    [
      'everything and a part',
      ['--cluster', 'web', '--all', '--scale-up'],
      "option '--all' cannot be used with option '--scale-up'",
    ],
    ['no duration', ['--cluster', 'web', '--for', '2'], 'Expected a duration between 1m and 720h, such as 30m or 2h.'],
    ['too long', ['--cluster', 'web', '--for', '721h'], 'Expected a duration between 1m and 720h'],
    ['too short', ['--cluster', 'web', '--for', '59s'], 'Expected a duration between 1m and 720h'],
    ['no name', ['--cluster', 'web', '--group', ''], 'Expected the name of a node group'],
    ['a flag that is misspelt', ['--cluster', 'web', '--scaledown'], 'Did you mean --scale-down?'],
  ])('refuses a command line with %s', async (_, flags, message) => {
    expect(await run('pause', ...flags)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});
