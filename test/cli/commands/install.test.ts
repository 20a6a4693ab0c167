import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestsOf } from '../../../providers/kubernetes/manifests/manifests.ts';
import { inEmptyFolder } from './in-empty-folder.ts';

const ROLE = 'arn:aws:iam::210987654321:role/teams/outrigger';

const { run, folder } = inEmptyFolder();
beforeAll(async () => {
  await writeFile(
    path.join(folder(), 'flow.yaml'),
    'clusters:\n  - name: prod\n    region: eu-west-1\n    flowSchema: true\n    options: {namespace: autoscaling}\n',
  );
  await writeFile(path.join(folder(), 'role.yaml'), `clusters:\n  - name: prod\n    role: ${ROLE}\n`);
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

  it('prints how the role is made for a cluster in another account, before the manifests are applied', async () => {
    const { stdout } = await run('install', '--cluster', 'prod', '--config', 'role.yaml', '--print');
    expect(stdout.match(/^# \d\..*$/gm)?.map((line) => line.slice(0, 34))).toEqual([
      '# 1. Check the account and the clu',
      '# 2. Make a token for the webhook:',
      '# 3. Deploy the stack with its sch',
      '# 4. Read the outputs RoleTrust, R',
      '# 5. With credentials of the accou',
      '# 6. Replace ADDRESS by that of th',
      '# 7. Switch the schedules on:',
    ]);
    expect(stdout).toContain('aws iam create-role --path /teams/ --role-name outrigger --assume-role-policy-document');
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

describe('outrigger install for a cluster in another account', () => {
  it('says where the steps are, and does nothing', async () => {
    const { code, stderr } = await run(
      'install',
      '--cluster',
      'prod',
      '--config',
      'role.yaml',
      '--region',
      'eu-west-1',
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`error: Cluster prod is in another account than its stack (role: ${ROLE})`);
    expect(stderr).toContain('npx outrigger install --cluster prod --print');
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
      '#      kubectl delete --ignore-not-found clusterrolebinding outrigger-machines outrigger-cluster-api outrigger-drain outrigger',
      '#      kubectl delete --ignore-not-found clusterrole outrigger-machines outrigger-cluster-api outrigger-drain outrigger',
    ]);
  });
});
