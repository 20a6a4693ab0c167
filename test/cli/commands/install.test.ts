import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestsOf } from '../../../providers/kubernetes/manifests/manifests.ts';

const MAIN = new URL('../../../cli/main.ts', import.meta.url).pathname;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-install-'));
  await writeFile(
    path.join(folder, 'flow.yaml'),
    'clusters:\n  - name: prod\n    region: eu-west-1\n    flowSchema: true\n    options: {namespace: autoscaling}\n',
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program in an empty folder, with nothing of AWS in its environment. */
const run = async (...args: readonly string[]): Promise<Ended> =>
  await new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
    execFile(process.execPath, [MAIN, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

const FLOW = { cluster: 'prod', namespace: 'autoscaling', schedulerUsers: [], flowSchema: true };

describe('outrigger install --print', () => {
  it('prints the commands as comments, and manifests that can be applied', async () => {
    const { code, stdout, stderr } = await run('install', '--cluster', 'prod', '--config', 'flow.yaml', '--print');
    expect([code, stderr]).toEqual([0, '']);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
    expect(documents.filter((document) => document !== null)).toEqual(
      JSON.parse(JSON.stringify(manifestsOf(FLOW, 'https://ADDRESS/TOKEN/prod'))),
    );
    expect(stdout).toContain('npx cdk deploy Outrigger-prod --parameters Schedules=DISABLED');
    expect(stdout).toContain('npx outrigger doctor --cluster prod --region eu-west-1');
  });

  it('prints the same for programs', async () => {
    const { stdout } = await run('install', '--cluster', 'prod', '--config', 'flow.yaml', '--print', '-o', 'json');
    const { steps, manifests } = JSON.parse(stdout) as { steps: readonly object[]; manifests: readonly object[] };
    expect(steps).toHaveLength(5);
    expect(manifests).toHaveLength(9);
  });
});

describe('the command line of outrigger install', () => {
  it.each([
    { args: [], complaint: "required option '--cluster <name>'" },
    { args: ['--cluster', 'a/b'], complaint: 'Expected a cluster name' },
    { args: ['--cluster', 'prod', '--config', 'absent.yaml'], complaint: 'absent.yaml: no such file' },
    { args: ['--cluster', 'dev', '--config', 'flow.yaml'], complaint: 'flow.yaml: names no cluster dev' },
  ])('that is malformed ends with 2: $complaint', async ({ args, complaint }) => {
    const { code, stderr } = await run('install', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });

  it('without a region tells of it in both outputs, and does nothing', async () => {
    const { code, stdout } = await run('install', '--cluster', 'prod', '-o', 'json', '--dry-run');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ cluster: 'prod', region: null, steps: [] });
  });
});

describe('the command line of outrigger uninstall', () => {
  it.each([
    { args: ['--delete-table'], complaint: 'confirm it by --confirm prod' },
    { args: ['--delete-table', '--confirm', 'dev'], complaint: 'confirm it by --confirm prod' },
    { args: ['--drain-timeout', '7h'], complaint: 'Expected a duration of at most 6h' },
  ])('that is malformed ends with 2: $args', async ({ args, complaint }) => {
    const { code, stderr } = await run('uninstall', '--cluster', 'prod', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });

  it('--print prints commands for everything that is applied', async () => {
    const { code, stdout } = await run('uninstall', '--cluster', 'prod', '--print');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.includes('kubectl delete'))).toEqual([
      '#      kubectl delete --ignore-not-found validatingwebhookconfiguration outrigger-prod',
      '#      kubectl delete --ignore-not-found flowschema outrigger',
      '#      kubectl delete --ignore-not-found prioritylevelconfiguration outrigger',
      '#      kubectl delete --ignore-not-found --namespace kube-system rolebinding outrigger',
      '#      kubectl delete --ignore-not-found --namespace kube-system role outrigger',
      '#      kubectl delete --ignore-not-found clusterrolebinding outrigger-drain outrigger',
      '#      kubectl delete --ignore-not-found clusterrole outrigger-drain outrigger',
    ]);
  });
});
