import { describe, expect, it } from 'vitest';
import { inEmptyFolder } from '../in-empty-folder.ts';
import type { Ended } from '../outrigger.ts';

const { run: runProgram } = inEmptyFolder();
const run = (...args: readonly string[]): Promise<Ended> => runProgram('explain', ...args);

describe('the command line', () => {
  it.each([
    { args: ['pod', 'a/b'], complaint: "required option '--cluster <name>'" },
    {
      args: ['pod', 'a/b', '--scenario', 'x.yaml', '--region', 'eu-west-1'],
      complaint: "option '--scenario <file>' cannot be used with option '--region <region>'",
    },
    { args: ['pod', 'a/b', '--scenario', 'x.yaml', '--since', '2h'], complaint: "with option '--since <time>'" },
    { args: ['pod', 'a/b', '--scenario', 'nowhere.yaml'], complaint: 'nowhere.yaml: no such file\n' },
    { args: ['pod', '--cluster', 'prod'], complaint: "missing required argument 'name'" },
    { args: ['pods', 'a/b', '--cluster', 'prod'], complaint: 'Allowed choices are pod, node, group' },
    { args: ['node', 'n', '--cluster', 'prod', '-o', 'xml'], complaint: 'Allowed choices are text, json' },
    { args: ['node', 'n', '--cluster', 'prod', '--config', 'nowhere.yaml'], complaint: 'nowhere.yaml: no such file' },
  ])('with $args ends with 2: $complaint', async ({ args, complaint }) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });

  it('with --scenario needs neither a cluster nor AWS', async () => {
    const example = new URL('../../../examples/three-zones.yaml', import.meta.url).pathname;
    const { code, stdout, stderr } = await run('group', 'web-b', '--scenario', example);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Size +0 → 2, of 0 to 10$/m);
  });

  it('has examples in its help', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('$ outrigger explain pod default/web-1 --cluster prod');
  });
});
