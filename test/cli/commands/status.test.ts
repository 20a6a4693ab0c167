import { expect, it } from 'vitest';
import { inEmptyFolder } from '../in-empty-folder.ts';
import { withoutProgress } from '../explain/without-progress.ts';
import type { Ended } from '../outrigger.ts';

const { run: runProgram } = inEmptyFolder();
const run = (...args: readonly string[]): Promise<Ended> => runProgram('status', ...args);

it('needs a cluster', async () => {
  expect(await run()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--cluster <name>') });
});

it('without a region says how to give one', async () => {
  const { code, stderr } = await run('--cluster', 'prod');
  expect(code).toBe(2);
  expect(withoutProgress(stderr)).toBe(
    'error: No region is given: pass --region, or write it into outrigger.config.yaml or AWS_REGION\n',
  );
});

it('without credentials says so, and names the profile that was to have them', async () => {
  const { code, stderr } = await run('--cluster', 'prod', '--region', 'eu-west-1');
  expect(code).toBe(1);
  expect(stderr).toContain(
    'ListStackResources of stack Outrigger-prod in eu-west-1 failed: there are no AWS credentials (CredentialsProviderError: Could not load credentials from any providers). Log in (aws sso login)',
  );
  const named = await run('--cluster', 'prod', '--region', 'eu-west-1', '--profile', 'work', '--table', 't');
  expect(named.stderr).toContain('the AWS profile work has no credentials, or does not exist');
});
