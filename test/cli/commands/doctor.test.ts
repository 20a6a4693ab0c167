import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inEmptyFolder } from '../in-empty-folder.ts';
import type { Ended } from '../outrigger.ts';

const { run: runProgram, spawn, folder } = inEmptyFolder();
const run = (...args: readonly string[]): Promise<Ended> => runProgram('doctor', ...args);

describe('the command line', () => {
  it.each([
    { args: [], complaint: "required option '--cluster <name>'" },
    { args: ['--cluster', 'a/b'], complaint: 'Expected a cluster name' },
    { args: ['--cluster', 'prod', '-o', 'xml'], complaint: 'Allowed choices are text, json' },
    { args: ['--cluster', 'prod', '--config', 'nowhere.yaml'], complaint: 'nowhere.yaml: no such file' },
  ])('with $args ends with 2: $complaint', async ({ args, complaint }) => {
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
    expect(stdout).toBe('');
  });

  it('without a region says how to give one', async () => {
    const { code, stdout } = await run('--cluster', 'prod', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      region: null,
      summary: { fail: 1, warn: 0 },
      checks: expect.arrayContaining([expect.objectContaining({ id: 'credentials', status: 'fail' })]),
    });
  });

  it('without credentials says so', async () => {
    const { code, stdout } = await run('--cluster', 'prod', '--region', 'eu-west-1');
    expect(code).toBe(1);
    expect(stdout).toContain('CredentialsProviderError');
    expect(stdout).toContain('aws sso login');
  });

  it('without credentials names the profile that was to have them', async () => {
    const { stdout } = await run('--cluster', 'prod', '--region', 'eu-west-1', '--profile', 'work');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('the AWS profile work has no credentials, or does not exist');
  });

  it('fails where AWS cannot be reached, as it has checked nothing', async () => {
    await mkdir(path.join(folder(), '.aws'), { recursive: true });
    await writeFile(
      path.join(folder(), '.aws', 'credentials'),
      '[work]\naws_access_key_id = a\naws_secret_access_key = b\n',
    );
    const away = ['--aws-endpoint', 'http://127.0.0.1:9', '--profile', 'work'];
    // In a process of its own, as the AWS SDK reads a file of credentials once.
    const { code, stdout } = await spawn('doctor', '--cluster', 'prod', '--region', 'eu-west-1', ...away);
    expect(code).toBe(1);
    expect(stdout).toContain('No call to AWS has an answer');
    expect(stdout).toContain('1 fail');
  });

  it('takes the region of the configuration beside it, and warns of flags that have no effect', async () => {
    await writeFile(
      path.join(folder(), 'outrigger.config.yaml'),
      'clusters:\n  - {name: prod, region: eu-north-1, mode: act, options: {leader-elect: true}}\n',
    );
    const { stdout, stderr } = await run('--cluster', 'prod');
    expect(stdout).toContain('Cluster prod in eu-north-1, mode act');
    expect(stderr).toContain('Warning: outrigger.config.yaml:2: clusters[0].options.leader-elect has no effect');
    expect((await run('--cluster', 'other', '--region', 'eu-west-1')).stdout).toContain('in eu-west-1, mode observe');
  });
});
