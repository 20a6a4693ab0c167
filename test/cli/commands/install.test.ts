import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestsOf } from '../../../providers/kubernetes/manifests/manifests.ts';
import { inEmptyFolder } from '../in-empty-folder.ts';

const ROLE = 'arn:aws:iam::210987654321:role/teams/outrigger';

/** Configurations that the steps depend on. */
const VARIANTS = {
  act: { mode: 'act' },
  observe: { mode: 'observe' },
  httpApi: { webhook: 'httpApi' },
  none: { webhook: 'none' },
  fixed: { webhookTokenHashes: ['0'.repeat(64)] },
  applying: { applyManifests: true },
};

const { run, folder } = inEmptyFolder();
beforeEach(async () => {
  await writeFile(
    path.join(folder(), 'flow.yaml'),
    'clusters:\n  - name: prod\n    region: eu-west-1\n    flowSchema: true\n    options: {namespace: autoscaling}\n',
  );
  await Promise.all(
    Object.entries(VARIANTS).map(([name, variant]) =>
      writeFile(path.join(folder(), `${name}.yaml`), JSON.stringify({ clusters: [{ name: 'prod', ...variant }] })),
    ),
  );
  await writeFile(path.join(folder(), 'role.yaml'), `clusters:\n  - name: prod\n    role: ${ROLE}\n`);
});

const FLOW = { cluster: 'prod', namespace: 'autoscaling', schedulerUsers: [], flowSchema: true, dryRun: true };

describe('outrigger install --print', () => {
  it('prints the commands as comments, and manifests that can be applied', async () => {
    const { code, stdout, stderr } = await run('install', '--cluster', 'prod', '--config', 'flow.yaml', '--print');
    expect([code, stderr]).toEqual([0, '']);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
    expect(documents.filter((document) => document !== null)).toEqual(
      JSON.parse(JSON.stringify(manifestsOf(FLOW, 'https://ADDRESS/TOKEN/prod'))),
    );
    expect(stdout).toContain(
      'npx cdk deploy --all -c config=flow.yaml -c only=prod@eu-west-1 --parameters Schedules=DISABLED',
    );
    expect(stdout).toContain('npx outrigger doctor --cluster prod --region eu-west-1');
  });

  it('prints the rights of options that need them', async () => {
    const options = {
      capacityBuffers: true,
      provisioningRequests: true,
      capacityQuotas: true,
      enableProactiveScaleup: true,
      plannedPlacement: true,
      incrementalReads: true,
    };
    const clusters = [{ name: 'prod', mode: 'act', options: { ...options, statusConfigMapName: 'mine' } }];
    await writeFile(path.join(folder(), 'options.yaml'), JSON.stringify({ clusters }));
    const { stdout } = await run('install', '--cluster', 'prod', '--config', 'options.yaml', '--print', '-o', 'json');
    const settings = { cluster: 'prod', schedulerUsers: [], flowSchema: false, statusConfigMap: 'mine', ...options };
    expect((JSON.parse(stdout) as { manifests: unknown }).manifests).toEqual(
      JSON.parse(JSON.stringify(manifestsOf(settings, 'https://ADDRESS/TOKEN/prod'))),
    );
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
      '# 6. Replace each ADDRESS by that ',
      '# 7. Switch the schedules on:',
    ]);
    expect(stdout).toContain('aws iam create-role --path /teams/ --role-name outrigger --assume-role-policy-document');
  });
});

/** Output with the settings of a variant. */
async function printed(command: string, variant: string) {
  const { code, stdout } = await run(
    command,
    '--cluster',
    'prod',
    '--config',
    `${variant}.yaml`,
    '--print',
    '-o',
    'json',
  );
  expect(code).toBe(0);
  const { steps, manifests = [] } = JSON.parse(stdout) as {
    readonly steps: readonly { readonly title: string; readonly commands: readonly string[] }[];
    readonly manifests?: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
  };
  return { commands: steps.flatMap(({ commands }) => commands), steps, manifests };
}

const DOCTOR = 'npx outrigger doctor --cluster prod';
const deploying = (variant: string): string => `npx cdk deploy --all -c config=${variant}.yaml -c only=prod`;
const OFF = '--parameters Schedules=DISABLED';
const ON = '--parameters Schedules=ENABLED';
const APPLY = 'kubectl apply --server-side --field-manager=outrigger --force-conflicts -f outrigger.yaml';
const WITH_TOKEN = [DOCTOR, 'npx outrigger token', `${OFF} --parameters WebhookTokenHashes=HASH`, APPLY, ON];

describe('outrigger install --print has the steps that the configuration needs, and no others, with', () => {
  it.each([
    ['act', WITH_TOKEN],
    ['observe', WITH_TOKEN],
    ['httpApi', WITH_TOKEN],
    // The parameter of the hashes is not in these stacks, and the CDK refuses one that is not.
    ['none', [DOCTOR, OFF, APPLY, ON]],
    ['fixed', [DOCTOR, OFF, APPLY, ON]],
    ['applying', [DOCTOR, '']],
  ])('%s', async (variant, steps) => {
    const deploy = deploying(variant);
    const commands = steps.map((step) => (/^(?:--|$)/.test(step) ? `${deploy} ${step}`.trim() : step));
    expect((await printed('install', variant)).commands).toEqual(commands);
  });

  it('a webhook in the manifests where one is applied by hand, and no manifests where the stack applies them', async () => {
    const kinds = async (variant: string) => (await printed('install', variant)).manifests.map(({ kind }) => kind);
    expect(await kinds('httpApi')).toContain('ValidatingWebhookConfiguration');
    expect(await kinds('fixed')).toContain('ValidatingWebhookConfiguration');
    expect(await kinds('none')).toContain('ClusterRole');
    expect(await kinds('none')).not.toContain('ValidatingWebhookConfiguration');
    expect(await kinds('applying')).toEqual([]);
  });

  it('rights to change nodes, to create events, to write the status and to evict pods in mode act alone', async () => {
    const rights = async (variant: string) =>
      JSON.stringify((await printed('install', variant)).manifests).match(/"(?:patch|create|delete|update|\*)"/g) ?? [];
    expect(await rights('act')).toHaveLength(5);
    expect(await rights('observe')).toEqual([]);
  });

  it('placeholders that a step says how to fill in, and no others', async () => {
    for (const variant of Object.keys(VARIANTS)) {
      const { steps, manifests } = await printed('install', variant);
      const text = JSON.stringify(manifests) + steps.flatMap(({ commands }) => commands).join('\n');
      const titles = steps.map(({ title }) => title).join('\n');
      for (const placeholder of ['ADDRESS', 'TOKEN', 'HASH'] as const) {
        const isUsed = new RegExp(`\\b${placeholder}\\b`).test(text);
        expect([variant, placeholder, new RegExp(`\\b${placeholder}\\b`).test(titles)]).toEqual([
          variant,
          placeholder,
          isUsed,
        ]);
      }
    }
  });
});

describe.each(['install', 'uninstall'])('the deployment that outrigger %s --print has', (command) => {
  const deployment = async (...args: readonly string[]) => {
    const { stdout, stderr } = await run(command, '--cluster', 'prod', '--print', ...args);
    return { line: /^# +((?:AWS_REGION.*)?npx cdk deploy .*DISABLED)/m.exec(stdout)?.[1], stderr };
  };

  it('is of the one stack that is meant, where another region has a cluster of the same name', async () => {
    const clusters = [
      { name: 'prod', region: 'eu-west-1' },
      { name: 'prod', region: 'us-east-1' },
    ];
    await writeFile(path.join(folder(), 'two regions.yaml'), JSON.stringify({ clusters }));
    expect((await deployment('--config', 'two regions.yaml', '--region', 'us-east-1')).line).toBe(
      "npx cdk deploy --all -c 'config=two regions.yaml' -c only=prod@us-east-1 --parameters Schedules=DISABLED",
    );
  });

  it('is of the region that is given, where the configuration has none', async () => {
    expect((await deployment('--config', 'act.yaml', '--region', 'us-east-1')).line).toBe(
      'AWS_REGION=us-east-1 npx cdk deploy --all -c config=act.yaml -c only=prod@us-east-1 --parameters Schedules=DISABLED',
    );
  });

  it('says which cluster it is for, where there is no configuration', async () => {
    expect((await deployment('--region', 'us-east-1')).line).toBe(
      `npx cdk deploy --all -c 'clusters=[{"name":"prod","region":"us-east-1"}]' -c only=prod@us-east-1 --parameters Schedules=DISABLED`,
    );
  });

  it('comes with the warnings about the configuration, on stderr', async () => {
    await writeFile(
      path.join(folder(), 'warned.yaml'),
      'clusters:\n  - name: other\n    options: {leader-elect: true}\n  - name: prod\n    options: {leader-elect: true}\n',
    );
    const { stderr } = await deployment('--config', 'warned.yaml');
    expect(stderr).toMatch(/^Warning: warned\.yaml:5: clusters\[1\]\.options\.leader-?[eE]lect .*\n$/);
  });
});

describe('outrigger uninstall --print', () => {
  it('leaves to the stack what the stack has applied, but for the webhook, which goes first', async () => {
    const { commands } = await printed('uninstall', 'applying');
    expect(commands.filter((command) => command.includes('kubectl delete'))).toEqual([
      'kubectl delete --ignore-not-found validatingwebhookconfiguration outrigger-prod',
    ]);
  });

  it('deletes roles in the namespace that they were made in', async () => {
    const { commands } = await printed('uninstall', 'flow');
    expect(commands).toContain('kubectl delete --ignore-not-found --namespace autoscaling role outrigger');
  });

  it('deletes the role in the account of the cluster once the stack is gone', async () => {
    const { commands } = await printed('uninstall', 'role');
    const deleted = commands.findIndex((command) => command.includes('delete-stack'));
    expect(commands.slice(deleted + 1, deleted + 4)).toEqual([
      `aws eks delete-access-entry --cluster-name prod --principal-arn ${ROLE}`,
      'aws iam delete-role-policy --role-name outrigger --policy-name outrigger',
      'aws iam delete-role --role-name outrigger',
    ]);
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
    expect(code).toBe(2);
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
      '#      kubectl delete --ignore-not-found clusterrolebinding outrigger-machines outrigger-cluster-api outrigger-drain outrigger',
      '#      kubectl delete --ignore-not-found clusterrole outrigger-machines outrigger-cluster-api outrigger-drain outrigger',
      '#      kubectl delete --ignore-not-found --namespace kube-system rolebinding outrigger',
      '#      kubectl delete --ignore-not-found --namespace kube-system role outrigger',
      '#      kubectl delete --ignore-not-found --namespace kube-system configmap cluster-autoscaler-status',
    ]);
  });
});
