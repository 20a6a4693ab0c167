import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mapOptional, presentItems, itemsIf } from '@outrigger/core/model/values/optional.ts';
import { StepError } from '../journal.ts';

/** The settings of a deployment. */
export interface StackDeployment extends AppProperties {
  readonly region: string;
  /** Parameters with new values; all other parameters keep their values. */
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

/** Whether this runs from the sources of a clone; the package has none. */
const isClone = (own: string): boolean => own.endsWith('.ts');

/** The root of a clone; in the package `dist/cdk`, beside the `dist/cli/chunks` that contains this module. */
function appFolder(own: string): string {
  const directory = path.dirname(own);
  if (isClone(own)) {
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

/** The properties that identify the app of one cluster. */
interface AppProperties {
  readonly cluster: string;
  /** `null`: that of the AWS environment. */
  readonly region: string | null;
  /** The configuration file; `null`: none. */
  readonly config: string | null;
}

/** The whole context of the stack of one cluster. Its id may have the region in it, so it is deployed by `--all`. */
const contextOf = ({ cluster, region, config }: AppProperties): readonly string[] => [
  '-c',
  config === null ? `clusters=${JSON.stringify([{ name: cluster, region: region ?? undefined }])}` : `config=${config}`,
  '-c',
  `only=${presentItems([cluster, region]).join('@')}`,
];

/** The arguments of `cdk deploy`. */
function deployArguments(deployment: StackDeployment, output: string): readonly string[] {
  const { config, parameters, asks } = deployment;
  return [
    'deploy',
    '--all',
    '--output',
    output,
    ...contextOf({ ...deployment, config: mapOptional(config, (file) => path.resolve(file)) }),
    ...Object.entries(parameters).flatMap(([name, value]) => ['--parameters', `${name}=${value}`]),
    ...itemsIf(!asks, ['--require-approval', 'never']),
  ];
}

/**
 * The command that deploys the stack of a cluster without parameters, for a shell: of the package in the directory where it
 * is installed, of a clone in its folder.
 *
 * @param regionIsSaid whether the configuration has the region, too
 */
export function deployCommand(named: AppProperties, regionIsSaid: boolean, directory: string): string {
  const own = fileURLToPath(import.meta.url);
  // A clone has a cdk.json that names the app.
  const app = isClone(own) ? [] : ['--app', `node ${path.relative(directory, path.join(appFolder(own), 'app.js'))}`];
  const environment = presentItems([named.region !== null && !regionIsSaid && `AWS_REGION=${named.region}`]);
  return [...environment, 'npx', 'cdk', 'deploy', ...app, '--all', ...contextOf(named)].map(asWord).join(' ');
}

/** As a word of a shell. */
const asWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Deploys the stack of a cluster with the CDK's command line, whose output goes to stderr.
 *
 * @throws StepError when it fails
 */
export async function deployWithCdk(cdk: CdkCommand, deployment: StackDeployment): Promise<void> {
  const output = await mkdtemp(path.join(tmpdir(), 'outrigger-cdk-'));
  try {
    const [program = process.execPath, ...first] = cdk.program;
    const child = spawn(program, [...first, ...deployArguments(deployment, output)], {
      cwd: cdk.folder,
      stdio: ['inherit', 2, 2],
      env: {
        ...process.env,
        AWS_REGION: deployment.region,
        // The app is started as `node …`: with the Node that runs this program.
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
