import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StepError } from '../journal.ts';

/** What is deployed, and how. */
export interface Deployment {
  readonly cluster: string;
  /** Absent: that of the AWS environment. */
  readonly region: string;
  /** The configuration file; `null`: the cluster has the defaults of a cluster of which nothing is said. */
  readonly config: string | null;
  /** Parameters that get these values; all others keep theirs. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether changes of permissions are asked about. */
  readonly asks: boolean;
}

/** The CDK's command line, and the app of this installation. */
export interface CdkCommand {
  /** The program and its first arguments. */
  readonly program: readonly string[];
  /** The folder with cdk.json, which has the app and its feature flags. */
  readonly folder: string;
}

const MISSING = ['npm install --save-dev aws-cdk aws-cdk-lib constructs'] as const;

/**
 * Finds the CDK's command line: in the project of this directory, or else beside this program; and the app: the sources
 * of a clone, or what the package has built from them.
 *
 * @throws StepError where there is none
 */
export function findCdk(directory: string): CdkCommand {
  const own = fileURLToPath(import.meta.url);
  const cli = [path.join(directory, 'package.json'), own].flatMap((from) => {
    try {
      return createRequire(from).resolve('aws-cdk/package.json');
    } catch {
      return [];
    }
  })[0];
  if (cli === undefined) {
    throw new StepError('The AWS CDK is not installed here; it deploys the stack.', MISSING);
  }
  return { program: [process.execPath, path.join(path.dirname(cli), 'bin', 'cdk')], folder: appFolder(own) };
}

/** Of a clone its root; of the package `dist/cdk`, beside the `dist/cli/chunks` that this is in. */
function appFolder(own: string): string {
  const directory = path.dirname(own);
  if (own.endsWith('.ts')) {
    return path.resolve(directory, '../../..');
  }
  const built = ['../../cdk', '../cdk']
    .map((relative) => path.resolve(directory, relative))
    .find((folder) => existsSync(path.join(folder, 'app.js')));
  if (built === undefined) {
    throw new StepError('The app that makes the stack is not in this installation.', ['npm install outrigger']);
  }
  return built;
}

/** The arguments of `cdk deploy`. */
export function deployArguments(deployment: Deployment, output: string): readonly string[] {
  const { cluster, region, config, parameters, asks } = deployment;
  const context =
    config === null
      ? ['-c', `clusters=${JSON.stringify([{ name: cluster, region }])}`]
      : ['-c', `config=${path.resolve(config)}`];
  return [
    'deploy',
    '--all',
    '--output',
    output,
    ...context,
    '-c',
    `only=${cluster}@${region}`,
    ...Object.entries(parameters).flatMap(([name, value]) => ['--parameters', `${name}=${value}`]),
    ...(asks ? [] : ['--require-approval', 'never']),
  ];
}

/**
 * Deploys the stack of a cluster with the CDK's command line, whose output goes to stderr.
 *
 * @throws StepError when it fails
 */
export async function deployWithCdk(cdk: CdkCommand, deployment: Deployment): Promise<void> {
  const output = await mkdtemp(path.join(tmpdir(), 'outrigger-cdk-'));
  try {
    const [program = process.execPath, ...first] = cdk.program;
    const child = spawn(program, [...first, ...deployArguments(deployment, output)], {
      cwd: cdk.folder,
      stdio: ['inherit', 2, 2],
      env: {
        ...process.env,
        AWS_REGION: deployment.region,
        // The app is started as `node …`: with the Node that runs this.
        PATH: [path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter),
      },
    });
    const code = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => resolve(status ?? signal ?? 'an unknown reason'));
    });
    if (code !== 0) {
      throw new StepError(`cdk deploy ended with ${code}: its output, above, has the reason.`);
    }
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}
