import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deployWithCdk, findCdk } from '../../../../cli/install/stack/cdk.ts';

const DEPLOYMENT = {
  cluster: 'prod',
  region: 'eu-west-1',
  config: null,
  parameters: { Schedules: 'DISABLED', WebhookTokenHashes: 'aa,bb' },
  asks: false,
};

/** Runs a deployment by a program that writes down how it was called. */
async function called(deployment: Partial<typeof DEPLOYMENT | { config: string }>, exitCode = 0) {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-cdk-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const program = path.join(folder, 'cdk.cjs');
  await writeFile(
    program,
    `require('fs').writeFileSync(${JSON.stringify(path.join(folder, 'call.json'))}, JSON.stringify({
       args: process.argv.slice(2), cwd: process.cwd(), region: process.env.AWS_REGION, path: process.env.PATH }));
     process.exit(${exitCode});`,
  );
  const cdk = { program: [process.execPath, program], folder };
  const deploy = deployWithCdk(cdk, { ...DEPLOYMENT, ...deployment });
  const failure = await deploy.then(
    () => null,
    (error: unknown) => error as Error,
  );
  const call = JSON.parse(await readFile(path.join(folder, 'call.json'), 'utf8')) as {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly region: string;
    readonly path: string;
  };
  return { folder, call, failure };
}

it('the CDK deploys one cluster, with parameters, in the folder of the app', async () => {
  const { folder, call, failure } = await called({});
  expect(failure).toBeNull();
  expect(call.args.filter((arg) => !arg.startsWith(tmpdir()))).toEqual([
    'deploy',
    '--all',
    '--output',
    '-c',
    'clusters=[{"name":"prod","region":"eu-west-1"}]',
    '-c',
    'only=prod@eu-west-1',
    '--parameters',
    'Schedules=DISABLED',
    '--parameters',
    'WebhookTokenHashes=aa,bb',
    '--require-approval',
    'never',
  ]);
  expect(call.cwd).toBe(folder);
  expect(call.region).toBe('eu-west-1');
  expect(call.path.split(path.delimiter)[0]).toBe(path.dirname(process.execPath));
});

it('the configuration is named by its whole path, for the app runs in another folder', async () => {
  const { call } = await called({ config: 'some/file.yaml' });
  expect(call.args).toContain(`config=${path.resolve('some/file.yaml')}`);
});

it('a deployment that fails is an error', async () => {
  const { failure } = await called({}, 3);
  expect(failure?.message).toContain('cdk deploy ended with 3');
});

it('the CDK of this installation is found from a folder without one', async () => {
  const { program, folder } = findCdk(tmpdir());
  expect(program[1]).toMatch(/node_modules\/aws-cdk\/bin\/cdk$/);
  expect(JSON.parse(await readFile(path.join(folder, 'cdk.json'), 'utf8'))).toMatchObject({ app: 'node cdk/app.ts' });
});
