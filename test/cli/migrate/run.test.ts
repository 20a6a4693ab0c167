import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationSchema } from '../../../config/json-schema.ts';
import { readConfiguration } from '../../../config/read.ts';
import { migrated, run } from './migrated.ts';

const DEPLOYMENTS = new URL('deployments/', import.meta.url).pathname;

/** A Deployment with these flags, of a version whose defaults are the present ones. */
const deployment = (...args: readonly string[]): object => ({
  kind: 'Deployment',
  metadata: { name: 'ca', namespace: 'kube-system' },
  spec: {
    template: {
      spec: { containers: [{ image: 'x/cluster-autoscaler:v1.35.0', args: ['--cluster-name=shop', ...args] }] },
    },
  },
});

describe('deployments as users have them', () => {
  const stays = { mode: 'observe', defaults: 'cluster-autoscaler', name: 'shop' };
  it.each([
    {
      file: 'auto-discovery',
      said: {},
      cluster: { ...stays, options: { skipNodesWithLocalStorage: false, expander: ['least-waste'] } },
      none: ['v', 'stderrthreshold'],
    },
    {
      file: 'several-groups',
      said: { cluster: 'shop' },
      cluster: {
        ...stays,
        discovery: { nodes: ['1:10:shop-web', '0:3:shop-batch'] },
        options: { skipNodesWithLocalStorage: false, expander: ['random'] },
      },
      none: [],
    },
    {
      file: 'chart-extra-args',
      said: {},
      cluster: {
        ...stays,
        region: 'eu-west-1',
        scanInterval: '10s',
        options: {
          writeStatusConfigmap: true,
          statusConfigMapName: 'cluster-autoscaler-status',
          skipNodesWithLocalStorage: true,
          expander: ['random'],
          scaleDownEnabled: true,
          balanceSimilarNodeGroups: true,
          minReplicaCount: 0,
          scaleDownUtilizationThreshold: 0.5,
          maxNodeProvisionTime: '15m',
          scaleDownDelayAfterAdd: '10m',
          scaleDownDelayAfterDelete: '0s',
          scaleDownDelayAfterFailure: '3m',
          scaleDownUnneededTime: '10m',
          nodeDeletionDelayTimeout: '2m',
          skipNodesWithSystemPods: true,
          balancingIgnoreLabel: ['first-label-to-ignore', 'second-label-to-ignore'],
          startupTaint: ['example.com/starting'],
        },
      },
      none: [
        'logtostderr',
        'stderrthreshold',
        'v',
        'leader-elect',
        'leader-elect-resource-lock',
        'scale-down-non-empty-candidates-count',
      ],
    },
    {
      file: 'addon',
      said: { cluster: 'shop' },
      cluster: {
        ...stays,
        region: 'eu-central-1',
        discovery: { nodes: ['2:20:nodes-a.shop.example.com', '2:20:nodes-b.shop.example.com'] },
        options: {
          balanceSimilarNodeGroups: true,
          expander: ['priority'],
          ignoreDaemonSetsUtilization: true,
          scaleDownUtilizationThreshold: 0.6,
          skipNodesWithCustomControllerPods: true,
          skipNodesWithLocalStorage: true,
          skipNodesWithSystemPods: true,
          scaleDownDelayAfterAdd: '10m',
          scaleDownUnneededTime: '5m',
          scaleDownUnreadyTime: '20m',
          newPodScaleUpDelay: '0s',
          maxNodeProvisionTime: '15m',
          cordonNodeBeforeTerminating: true,
        },
      },
      none: ['logtostderr', 'stderrthreshold', 'v'],
    },
    { file: 'blueprint-values', said: {}, cluster: { ...stays, region: 'us-west-2' }, none: [] },
    {
      file: 'other-namespace',
      said: {},
      cluster: {
        ...stays,
        region: 'us-east-1',
        discovery: { tags: ['k8s.io/cluster-autoscaler/shop', 'team=web'] },
        options: {
          namespace: 'cluster-autoscaler',
          expander: ['priority'],
          skipNodesWithSystemPods: false,
          skipNodesWithLocalStorage: false,
          scaleDownUtilizationThreshold: 0.65,
          balanceSimilarNodeGroups: true,
          maxGracefulTerminationSec: 300,
        },
      },
      none: [],
    },
    {
      file: 'kubectl-get',
      said: { region: 'eu-west-1' },
      cluster: {
        ...stays,
        region: 'eu-west-1',
        options: {
          expander: ['least-waste'],
          balanceSimilarNodeGroups: true,
          scaleDownDelayAfterAdd: '5m',
          expendablePodsPriorityCutoff: -100,
        },
      },
      none: ['v'],
    },
  ])('$file', async ({ file, said, cluster, none }) => {
    const { code, out, told } = await run(`${DEPLOYMENTS}${file}.yaml`, '', said);
    expect(code).toBe(0);
    expect(parse(out)).toEqual({ clusters: [cluster] });
    expect(readConfiguration(out, 'written')).toMatchObject({ ok: true, value: { warnings: [] } });
    const without = told.split('No counterpart\n')[1]?.split('\n\n')[0] ?? '';
    expect(without.split('\n').flatMap((line) => /^ {2}([a-z-]+) /.exec(line)?.[1] ?? [])).toEqual(none);
  });
});

describe('flags', () => {
  it.each([
    ['a repeated flag is a list', ['--startup-taint=a', '--startup-taint=b'], { startupTaint: ['a', 'b'] }],
    ['the last of a repeated value holds', ['--max-nodes-total=1', '--max-nodes-total=2'], { maxNodesTotal: 2 }],
    [
      'names of schedulers are parted by commas',
      ['--allowed-scheduler-names=a,b'],
      { allowedSchedulerNames: ['a', 'b'] },
    ],
    [
      'booleans are as Go reads them',
      ['--scale-down-enabled=F', '--force-ds=1'],
      { scaleDownEnabled: false, forceDs: true },
    ],
    ['a removed flag is its successor', ['--max-empty-bulk-delete=5'], { maxScaleDownParallelism: 5 }],
    [
      'and does not win over it',
      ['--max-scale-down-parallelism=7', '--max-empty-bulk-delete=5'],
      { maxScaleDownParallelism: 7 },
    ],
    ['an expander that there is not is left out of the chain', ['--expander=grpc,price'], { expander: ['price'] }],
    ['ProvisioningRequests are answered', ['--enable-provisioning-requests'], { provisioningRequests: true }],
    [
      'ranges and pairs stay as they are',
      ['--cores-total=1:20', '--drain-priority-config=0:60,100:20'],
      { coresTotal: '1:20', drainPriorityConfig: '0:60,100:20' },
    ],
  ])('%s', async (_, args, options) => {
    expect(await migrated(deployment(...args))).toMatchObject({ code: 0, cluster: { options } });
  });

  it.each([
    [
      '--max-drain-parallelism=x',
      /No counterpart[^]*max-drain-parallelism +x +Left out: expected an integer of at least 0, found "x"/,
    ],
    [
      '--scan-intervall=1s',
      /Not recognized[^]*scan-intervall +1s +Not a known flag of Cluster Autoscaler \(did you mean scan-interval\?\)/,
    ],
    [
      '--debugging-snapshot-enabled',
      /No counterpart[^]*debugging-snapshot-enabled +true +There is no endpoint for snapshots/,
    ],
    ['--debugging-snapshot-enabled=false', /Differs[^]*The same[^]*debugging-snapshot-enabled +false/],
    ['--frequent-loops-enabled=false', /Differs[^]*frequent-loops-enabled +false +built in +Events cause evaluations/],
    ['--grpc-expander-url=x:1', /No counterpart[^]*grpc-expander-url +x:1 +There is no gRPC expander/],
    ['--node-group-auto-discovery=mig:namePrefix=a', /No counterpart[^]*node-group-auto-discovery/],
  ])('%s is told of', async (arg, told) => {
    const ran = await migrated(deployment(arg));
    expect(ran.told).toMatch(told);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.cluster).not.toHaveProperty('options');
  });

  it('defaults that differ are listed, but for options that are given', async () => {
    const { told } = await migrated(deployment('--max-drain-parallelism=2'));
    const differs = told.split("Outrigger's defaults\n")[1]?.split('\n\n')[0] ?? '';
    expect(differs).toMatch(
      /balanceSimilarNodeGroups +\(absent\) +false, by defaults: cluster-autoscaler +With defaults: outrigger it is true/,
    );
    expect(differs).not.toContain('maxDrainParallelism');
  });
});

describe('discovery', () => {
  const tags = (...keys: readonly string[]): string => `--node-group-auto-discovery=asg:tag=${keys.join(',')}`;
  it.each([
    [
      'by the tags of the convention is the default',
      [tags('k8s.io/cluster-autoscaler/shop', 'k8s.io/cluster-autoscaler/enabled')],
      undefined,
    ],
    [
      'by a value of theirs is not',
      [tags('k8s.io/cluster-autoscaler/enabled=true', 'k8s.io/cluster-autoscaler/shop')],
      { tags: ['k8s.io/cluster-autoscaler/enabled=true', 'k8s.io/cluster-autoscaler/shop'] },
    ],
    ['by one of them is not', [tags('k8s.io/cluster-autoscaler/shop')], { tags: ['k8s.io/cluster-autoscaler/shop'] }],
    [
      'by tags and by name',
      [tags('kubernetes.io/cluster/shop=owned'), '--nodes=0:5:x'],
      { tags: ['kubernetes.io/cluster/shop=owned'], nodes: ['0:5:x'] },
    ],
  ])('%s', async (_, args, discovery) => {
    const { code, cluster } = await migrated(deployment(...args));
    expect(code).toBe(0);
    expect((cluster as { discovery?: object }).discovery).toEqual(discovery);
  });

  it('finds the name of the cluster in the tags', async () => {
    const { cluster } = await migrated({
      kind: 'Pod',
      spec: {
        containers: [
          {
            command: [
              './cluster-autoscaler',
              tags('k8s.io/cluster-autoscaler/enabled', 'kubernetes.io/cluster/blue=owned'),
            ],
          },
        ],
      },
    });
    expect(cluster).toMatchObject({ name: 'blue' });
  });
});

describe('Helm', () => {
  it('values of a chart that holds this one are under its name', async () => {
    const values = { 'cluster-autoscaler': { enabled: true, autoDiscovery: { clusterName: 'shop' } } };
    expect(await migrated(values)).toMatchObject({ code: 0, cluster: { name: 'shop' } });
  });

  it('groups by name', async () => {
    const values = { autoscalingGroups: [{ name: 'a', minSize: 1, maxSize: 3 }], extraArgs: {} };
    expect(await migrated(values, { cluster: 'shop' })).toMatchObject({ cluster: { discovery: { nodes: ['1:3:a'] } } });
  });

  it('the values of an Application of Argo CD', async () => {
    const values = 'autoDiscovery: {clusterName: shop}\nextraArgs: {scale-down-enabled: false}\n';
    const application = { kind: 'Application', spec: { source: { helm: { values } } } };
    expect(await migrated(application)).toMatchObject({
      cluster: { name: 'shop', options: { scaleDownEnabled: false } },
    });
  });

  it('what Prometheus scrapes has advice, where it is enabled', async () => {
    const values = {
      autoDiscovery: { clusterName: 'shop' },
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: false },
    };
    const { told } = await migrated(values);
    expect(told).toContain('serviceMonitor: metrics are in CloudWatch');
    expect(told).not.toContain('prometheusRule');
  });

  it('the priority expander’s ConfigMap is told of', async () => {
    const values = {
      autoDiscovery: { clusterName: 'shop' },
      expanderPriorities: { 10: ['.*'] },
      extraArgs: { expander: 'priority' },
    };
    const { told } = await migrated(values);
    expect(told).toContain('cluster-autoscaler-priority-expander is a part of the release');
    expect(told).toContain('options.namespace has to be written');
  });
});

describe('Cluster API', () => {
  const container = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => ({
    kind: 'Deployment',
    metadata: { name: 'cluster-autoscaler', namespace: 'kube-system' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.35.0',
              command: ['./cluster-autoscaler', '--cloud-provider=clusterapi', ...args],
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
            },
          ],
        },
      },
    },
  });

  it('has its resources as node groups, and no Auto Scaling groups', async () => {
    const { cluster, told } = await migrated(
      container([
        '--node-group-auto-discovery=clusterapi:namespace=blue,clusterName=shop',
        '--node-group-auto-discovery=clusterapi:team=a',
      ]),
    );
    expect(cluster).toMatchObject({
      name: 'shop',
      clusterApi: {
        discovery: ['clusterapi:namespace=blue,clusterName=shop', 'clusterapi:team=a'],
        autoScalingGroups: false,
      },
    });
    expect(told).toMatch(/cloud-provider +clusterapi +clusterApi/);
  });

  it('has the variables of the container as settings', async () => {
    const { cluster, told } = await migrated(
      container([], {
        CAPI_GROUP: 'machine.openshift.io',
        CAPI_VERSION: 'v1beta1',
        CAPI_SCALE_ZERO_DEFAULT_ARCH: 'arm64',
      }),
      { cluster: 'shop' },
    );
    expect(cluster).toMatchObject({
      clusterApi: { apiGroup: 'machine.openshift.io', defaultArchitecture: 'arm64', autoScalingGroups: false },
    });
    expect(told).toMatch(/CAPI_VERSION +v1beta1 +built in +The API server is asked/);
  });

  it('is in the values of the chart', async () => {
    const values = {
      cloudProvider: 'clusterapi',
      autoDiscovery: { namespace: 'blue', clusterName: 'shop', labels: [{ color: 'green' }, { shape: 'circle' }] },
      extraEnv: { CAPI_GROUP: 'example.com' },
    };
    expect(await migrated(values)).toMatchObject({
      cluster: {
        name: 'shop',
        clusterApi: {
          apiGroup: 'example.com',
          discovery: ['clusterapi:namespace=blue,clusterName=shop,color=green,shape=circle'],
        },
      },
    });
  });

  it('leaves out what it cannot have, and says why', async () => {
    const { cluster, told } = await migrated(
      container(['--nodes=1:3:a', '--node-group-auto-discovery=asg:tag=a', '--clusterapi-cloud-config-authoritative']),
      { cluster: 'shop' },
    );
    expect(cluster).toMatchObject({ clusterApi: { autoScalingGroups: false } });
    expect(told).toContain('Resources of Cluster API have their bounds in annotations.');
    expect(told).toContain('Resources of Cluster API are found by clusterapi:');
    expect(told).toContain('clusterApi.managementCluster names');
  });
});

describe('what cannot be understood is said, and nothing is written', () => {
  it.each([
    ['no name', { kind: 'Pod', spec: { containers: [{ image: 'cluster-autoscaler' }] } }, 'give it as --cluster NAME'],
    ['another provider', deployment('--cloud-provider=azure'), 'expected aws or clusterapi, found "azure"'],
    ['another program', { kind: 'Pod', spec: { containers: [{ image: 'nginx' }] } }, 'found neither'],
    ['other values', { replicaCount: 1 }, 'found neither'],
    ['no object', [1, 'x', null], 'found neither'],
    [
      'a name that EKS would not take',
      { autoDiscovery: { clusterName: '<YOUR CLUSTER>' } },
      'expected the name of an EKS cluster',
    ],
    ['bounds the wrong way round', deployment('--nodes=5:1:a'), 'min:max:name'],
    ['options that do not go together', deployment('--balancing-label=a', '--balancing-ignore-label=b'), 'balancing'],
  ])('%s', async (_what, document, complaint) => {
    const { code, out, told } = await migrated(document);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(told).toContain(complaint);
  });

  it.each([
    ['lists', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['charts', '{"cluster-autoscaler":'.repeat(20_000) + '{}' + '}'.repeat(20_000)],
  ])('%s within each other without end', async (_what, text) => {
    const { code, told } = await run('-', text);
    expect(code).toBe(2);
    expect(told).toContain('<stdin>: ');
  });

  it.each([
    ['-', 'a: [', '<stdin>:1: '],
    ['nothing.yaml', '', 'nothing.yaml: no such file'],
  ])('%s', async (file, input, complaint) => {
    const { code, told } = await run(file, input);
    expect(code).toBe(2);
    expect(told).toContain(complaint);
  });
});

describe('-o', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'migrate-'));
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it('writes a file that explains itself', async () => {
    const output = join(directory, 'outrigger.config.yaml');
    const { code, out } = await run(`${DEPLOYMENTS}auto-discovery.yaml`, '', { output });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const text = await readFile(output, 'utf8');
    const { $id } = configurationSchema();
    expect(text).toContain(`# yaml-language-server: $schema=${String($id)}\n# Written by \`outrigger migrate\`.\n`);
    expect(text).toMatch(/# Absent options take Cluster Autoscaler's defaults.*\n +defaults: cluster-autoscaler/);
  });

  const OTHER = '# the fleet\nclusters:\n  # the first\n  - name: other # old\n    region: us-east-1\n    mode: act\n';
  const shop = JSON.stringify(deployment());
  const fileWith = async (text: string): Promise<string> => {
    const file = join(directory, 'existing.yaml');
    await writeFile(file, text);
    return file;
  };

  it('adds the cluster to a configuration, and keeps its clusters and comments', async () => {
    const output = await fileWith(OTHER);
    expect(await run('-', shop, { output })).toMatchObject({ code: 0 });
    const text = await readFile(output, 'utf8');
    expect(text.startsWith(OTHER)).toBe(true);
    expect(text).toContain('  # <stdin>: Deployment kube-system/ca\n  - name: shop\n');
    const read = readConfiguration(text, output);
    expect(read.ok && read.value.clusters.map(({ name, mode }) => ({ name, mode }))).toEqual([
      { name: 'other', mode: 'act' },
      { name: 'shop', mode: 'observe' },
    ]);
  });

  it('adds the cluster to a configuration in JSON, which stays JSON', async () => {
    const output = await fileWith('{"clusters": [{"name": "other"}]}');
    expect(await run('-', shop, { output })).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({
      clusters: [{ name: 'other' }, { name: 'shop' }],
    });
  });

  it('replaces a report in JSON by a new one', async () => {
    const output = join(directory, 'report.json');
    for (const cluster of ['blue', 'green']) {
      expect(await run('-', shop, { output, cluster, format: 'json' })).toMatchObject({ code: 0 });
      expect(await readFile(output, 'utf8')).toContain(`"name": "${cluster}"`);
    }
  });

  it.each([
    { file: OTHER.replace('other', 'shop'), format: 'yaml' as const, why: 'has cluster shop already' },
    { file: 'clusters: [{nam: other}]\n', format: 'yaml' as const, why: 'is no valid configuration' },
    { file: OTHER, format: 'json' as const, why: 'something else than a report' },
    { file: '{"clusters": [{"name": "other"}]}', format: 'json' as const, why: 'something else than a report' },
  ])('refuses to write $format into $file', async ({ file, format, why }) => {
    const output = await fileWith(file);
    const { code, told } = await run('-', shop, { output, format });
    expect(code).toBe(2);
    expect(told).toContain(why);
    expect(await readFile(output, 'utf8')).toBe(file);
  });
});

it('as JSON has the configuration, and what becomes of each flag', async () => {
  const given = JSON.stringify(deployment('--expander=priority', '--v=4'));
  const yaml = await run('-', given, { cluster: 'prod' });
  const { code, out, told } = await run('-', given, { cluster: 'prod', format: 'json' });
  const { configuration, deployments } = JSON.parse(out) as {
    readonly configuration: object;
    readonly deployments: readonly { readonly flags: readonly object[] }[];
  };
  expect({ code, told }).toEqual({ code: 0, told: '' });
  expect(configuration).toEqual(parse(yaml.out));
  expect(deployments).toHaveLength(1);
  expect(deployments[0]!.flags).toContainEqual(expect.objectContaining({ flag: 'v', value: '4', verdict: 'none' }));
});
