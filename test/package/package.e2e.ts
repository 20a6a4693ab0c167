import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../sample.ts';
import { copyOfClone } from './clone-copy.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

/** The Nodes that the package is for. */
const NODES: Readonly<Record<string, string>> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };

const FUNCTIONS = ['actuate', 'drain', 'ingest', 'manifests', 'scale-down', 'scale-up', 'wake', 'widget'];

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties: { readonly Environment: { readonly Variables: Readonly<Record<string, string>> } };
      }
    >
  >;
}

let folder = '';
/** Folder where the package is installed, and nothing else. */
let user = '';
let installed = '';
/** A CDK app that has the package installed. */
let app = '';

const manifest = async (of: string): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await readFile(path.join(of, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;

/** npm without what the run of the tests has set in the environment, and without asking for more than it must. */
async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  return (await execute('npm', [...args, ...options], { cwd, maxBuffer: 2 ** 26 })).stdout;
}

const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Outrigger } from 'outrigger';

const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Autoscaling');
new Outrigger(stack, 'Outrigger', {
  clusterName: 'web',
  mode: 'act',
  options: { 'scale-down-unneeded-time': '5m' },
  alarmTopic: new Topic(stack, 'Alarms'),
});
export function misspelt() {
  // @ts-expect-error: there is no setting of this name.
  new Outrigger(stack, 'Other', { clusterName: 'other', optoins: {} });
}
app.synth();
`;

const COMPILER_OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** A CDK app beside the package, with the CDK of the clone. */
async function makeApp(): Promise<void> {
  // Links stay relative: the app has a package of its own.
  await cp(user, app, { recursive: true, verbatimSymlinks: true });
  for (const name of ['aws-cdk', 'aws-cdk-lib', 'constructs']) {
    await symlink(path.join(root, 'node_modules', name), path.join(app, 'node_modules', name));
  }
  await symlink('../aws-cdk/bin/cdk', path.join(app, 'node_modules/.bin/cdk'));
  await writeFile(path.join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
  await writeFile(path.join(app, 'app.ts'), APP);
  await writeFile(
    path.join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['app.ts'] }),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-package-'));
  const clone = path.join(folder, 'clone');
  user = path.join(folder, 'user');
  app = path.join(folder, 'app');
  installed = path.join(user, 'node_modules/outrigger');
  await mkdir(user);
  await copyOfClone(clone);
  await npm(clone, 'pack', '--pack-destination', folder);
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'))!;
  await writeFile(path.join(user, 'package.json'), '{ "private": true }\n');
  await npm(user, 'install', path.join(folder, tarball));
  await makeApp();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the package', () => {
  it('has nothing installed beside it', async () => {
    const modules = await readdir(path.join(user, 'node_modules'));
    expect(modules.filter((name) => !name.startsWith('.'))).toEqual(['outrigger']);
    expect(await readdir(path.join(user, 'node_modules/.bin'))).toEqual(['kubectl-outrigger', 'outrigger']);
  });

  it('holds what was built, the documentation and the examples, and no sources, tests or pictures', async () => {
    const files = await readdir(installed, { recursive: true });
    expect(files.filter((file) => (file.endsWith('.ts') && !file.endsWith('.d.ts')) || file.endsWith('.png'))).toEqual(
      [],
    );
    expect((await readdir(installed)).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'cli',
      'dist',
      'docs',
      'examples',
      'package.json',
    ]);
    expect(files).toContain('dist/THIRD-PARTY-LICENSES.txt');
    for (const name of FUNCTIONS) {
      expect(files).toContain(`dist/functions/${name}/index.mjs`);
    }
  });

  it('carries the licenses of what is bundled in it', async () => {
    const licenses = await readFile(path.join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['commander', 'zod', 'core-js', '@aws-sdk/client-ec2', '@kubernetes/client-node']) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });
});

describe('the types', () => {
  it('are those of the construct, for a compiler that has nothing but the package and the CDK', async () => {
    await execute(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', app]);
    expect(await readdir(app)).toContain('app.js');
  });
});

describe.each(sampleOf('versions of Node', Object.entries(NODES), 1))('on Node %s', (major, version) => {
  let bin = '';
  const example = path.join(root, 'examples/three-zones.yaml');
  /** The binary's `env node` is this one. */
  const environment = () => ({ ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}` });
  const run = async (...args: readonly string[]): Promise<string> => {
    const options = { cwd: user, env: environment(), maxBuffer: 2 ** 26 };
    return (await execute('npx', ['--no', '--', 'outrigger', ...args], options)).stdout;
  };
  const inApp = (line: string) =>
    execute('bash', ['-c', line], { cwd: app, env: { ...environment(), CDK_DISABLE_CLI_TELEMETRY: 'true' } });

  beforeAll(async () => {
    const own = path.join(folder, `node-${major}`);
    await mkdir(own);
    await writeFile(path.join(own, 'package.json'), '{ "private": true }\n');
    await npm(own, 'install', `node-${process.platform}-${process.arch}@${version}`);
    bin = path.join(own, 'node_modules/.bin');
  });

  it('says its version', async () => {
    expect((await execute(path.join(bin, 'node'), ['--version'])).stdout.trim()).toBe(`v${version}`);
    expect((await run('--version')).trim()).toBe((await manifest(root))['version']);
  });

  it('shows the help of every command', async () => {
    const help = await run('--help');
    for (const name of ['demo', 'simulate', 'schema', 'migrate', 'snapshot', 'local']) {
      expect(help).toContain(name);
      expect(await run(name, '--help')).toContain(`outrigger ${name}`);
    }
  });

  it('prints the schemas that are in the package at the path of their addresses', async () => {
    for (const name of ['configuration', 'scenario']) {
      const schema = await run('schema', name);
      const { $id } = JSON.parse(schema) as { readonly $id: string };
      const file = $id.replace('https://unpkg.com/outrigger/', '');
      expect(await readFile(path.join(installed, file), 'utf8')).toBe(schema);
    }
  });

  it('is what the commands run on', async () => {
    const { stdout } = await execute('npm', ['exec', '--call', 'node --version'], { cwd: user, env: environment() });
    expect(stdout.trim()).toBe(`v${version}`);
  });

  it.each(['install', 'uninstall'])('deploys by the commands that %s --print has', async (command) => {
    const clusters = ['eu-west-1', 'us-east-1'].map((region) => ({ name: 'prod', region }));
    await writeFile(path.join(app, 'clusters.yaml'), JSON.stringify({ clusters }));
    const named = ['--cluster', 'prod', '--region', 'us-east-1', '--config', 'clusters.yaml'];
    const { stdout } = await inApp(`npx outrigger ${command} ${named.join(' ')} --print -o json`);
    const { steps } = JSON.parse(stdout) as { readonly steps: readonly { readonly commands: readonly string[] }[] };
    const deployments = steps.flatMap(({ commands }) => commands.filter((one) => one.startsWith('npx cdk deploy ')));
    expect(deployments).toHaveLength(command === 'install' ? 2 : 1);
    for (const deployment of deployments) {
      // Stacks of a deployment are listed; a list has no parameters, and needs no account.
      const listed = deployment.replace(' deploy ', ' list ').replaceAll(/ --(?:all|parameters \S+)/g, '');
      expect((await inApp(listed)).stdout.trim()).toBe('Outrigger-prod-us-east-1 (Outrigger-prod)');
    }
  });

  it('decides what the clone decides', async () => {
    const { stdout } = await execute(process.execPath, [path.join(root, 'cli/main.ts'), 'simulate', '--fit', example]);
    expect(await run('simulate', '--fit', example)).toBe(stdout);
  });

  it('runs the demo as the clone does', async () => {
    const { stdout } = await execute(process.execPath, [path.join(root, 'cli/main.ts'), 'demo', '--json'], {
      maxBuffer: 2 ** 26,
    });
    expect(await run('demo', '--json')).toBe(stdout);
  });

  it('synthesizes a stack with the construct, and deploys the bundles of the package', async () => {
    const node = path.join(bin, 'node');
    await execute(node, ['app.js'], { cwd: app });
    const template = JSON.parse(
      await readFile(path.join(app, 'cdk.out/Autoscaling.template.json'), 'utf8'),
    ) as Template;
    const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    // Without `applyManifests`.
    const deployed = FUNCTIONS.filter((name) => name !== 'manifests');
    const environments = functions.map(({ Properties }) => Properties.Environment.Variables);
    expect(environments.map(({ OUTRIGGER_CLUSTER }) => OUTRIGGER_CLUSTER)).toEqual(deployed.map(() => 'web'));
    expect(environments.map(({ OUTRIGGER_OPTIONS }) => OUTRIGGER_OPTIONS)).toContain('{"scaleDownUnneededTime":"5m"}');
    const out = await readdir(path.join(app, 'cdk.out'), { recursive: true });
    expect(out.filter((file) => file.endsWith('index.mjs'))).toHaveLength(deployed.length);
    await rm(path.join(app, 'cdk.out'), { recursive: true });
  });

  it('says which kubeconfig there is not', async () => {
    const missing = path.join(folder, 'no-kubeconfig');
    await expect(
      run('local', '--cluster', 'web', '--region', 'eu-central-1', '--kubeconfig', missing),
    ).rejects.toMatchObject({ stderr: expect.stringMatching(/^error: .*no-kubeconfig/m) });
  });
});
