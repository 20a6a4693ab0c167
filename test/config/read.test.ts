import { describe, expect, it } from 'vitest';
import { readClusterList, readConfiguration } from '../../config/read.ts';
import { type ClusterConfig, scanIntervalWithin } from '../../config/schema.ts';
import { parseClusterApi, writeClusterApi } from '../../providers/schema/cluster-api.ts';
import { minutes, seconds } from '../../core/model/values/time.ts';

const FILE = 'outrigger.config.yaml';

const complaintsOf = (text: string): readonly string[] => {
  const read = readConfiguration(text, FILE);
  return read.ok ? [] : read.error;
};

function clusterOf(settings: string): ClusterConfig {
  const read = readConfiguration(`clusters:\n- name: web\n${settings.replaceAll(/^/gm, '  ')}`, FILE);
  if (!read.ok) {
    throw new Error(read.error.join('\n'));
  }
  return read.value.clusters[0]!;
}

describe('a configuration', () => {
  it('of a name alone observes, at Outrigger’s defaults', () => {
    expect(clusterOf('')).toEqual({
      name: 'web',
      region: null,
      account: null,
      role: null,
      externalId: null,
      vpc: null,
      mode: 'observe',
      discovery: null,
      clusterApi: null,
      defaults: 'outrigger',
      options: {},
      webhook: 'functionUrl',
      webhookTokenHashes: null,
      reservedConcurrency: 10,
      size: 'medium',
      tracing: false,
      snapshots: false,
      applyManifests: false,
      webhookTokenVersion: null,
      flowSchema: false,
      dashboard: true,
      alarmTopicArn: null,
      eventBusArn: null,
      messageTopicArn: null,
      kmsKeyArn: null,
      scanInterval: minutes(1),
      schedulerUsers: [],
    });
  });

  it('has every setting', () => {
    const cluster = clusterOf(`
region: eu-west-1
account: "012345678901"
role: arn:aws:iam::210987654321:role/teams/outrigger
externalId: team-a/1
vpc: {vpcId: vpc-0a1b2c3d, subnetIds: [subnet-0a1b2c3d], securityGroupIds: [sg-0123456789abcdef0]}
mode: act
discovery: {tags: [team, kubernetes.io/cluster/web=owned], nodes: ["1:10:workers"]}
defaults: cluster-autoscaler
options: {maxNodesTotal: 100}
webhook: httpApi
webhookTokenHashes: [${'b'.repeat(64)}]
reservedConcurrency: 20
alarmTopicArn: arn:aws:sns:eu-west-1:123456789012:alarms
eventBusArn: arn:aws:events:eu-west-1:123456789012:event-bus/default
messageTopicArn: arn:aws:sns:eu-west-1:123456789012:ops
size: large
tracing: true
flowSchema: true
scanInterval: 5m
schedulerUsers: [system:serviceaccount:kube-system:batch]
`);
    expect(cluster).toMatchObject({
      account: '012345678901',
      role: 'arn:aws:iam::210987654321:role/teams/outrigger',
      externalId: 'team-a/1',
      vpc: { vpcId: 'vpc-0a1b2c3d' },
      mode: 'act',
      discovery: {
        tags: [
          { key: 'team', value: null },
          { key: 'kubernetes.io/cluster/web', value: 'owned' },
        ],
        nodes: [{ name: 'workers', min: 1, max: 10 }],
      },
      options: { maxNodesTotal: 100 },
      size: 'large',
      webhook: 'httpApi',
      webhookTokenHashes: ['b'.repeat(64)],
      tracing: true,
      snapshots: false,
      applyManifests: false,
      webhookTokenVersion: null,
      flowSchema: true,
      scanInterval: minutes(5),
    });
  });

  it.each([
    ['10s', 10],
    ['15s', 15],
    ['20s', 20],
    ['30s', 30],
    ['60s', 60],
    ['1h', 3_600],
  ])('has scans every %s', (written, length) => {
    expect(clusterOf(`scanInterval: ${written}\n`).scanInterval).toBe(seconds(length));
  });

  it.each(['0s', '5s', '12s', '45s', '90s', '61m', '10'])('has no scans every %s', (written) => {
    const read = readConfiguration(`clusters:\n- name: web\n  scanInterval: ${written}\n`, FILE);
    expect(read).toMatchObject({ ok: false });
  });

  it.each([
    [1, 10],
    [14, 10],
    [45, 30],
    [119, 60],
    [86_400, 3_600],
  ])('has, for a scan interval of %s s, scans every %s s', (asked, scan) => {
    expect(scanIntervalWithin(seconds(asked))).toBe(seconds(scan));
  });

  it.each([
    ['region: eu-west-1', 'functionUrl'],
    ['region: eu-south-2', 'httpApi'],
    ['region: eu-south-2\nwebhook: none', 'none'],
    ['webhook: functionUrl', 'functionUrl'],
  ])('has the webhook that the region allows: %j is %s', (settings, webhook) => {
    expect(clusterOf(settings)).toMatchObject({ webhook });
  });

  it.each(['defaults: {drains: durable}\nclusters: [{name: a}]', 'clusters: [{name: a, drains: schedule}]'])(
    'says that the former setting has no effect any more: %j',
    (text) => {
      const read = readConfiguration(text, 'c.yaml');
      expect(read).toMatchObject({
        ok: true,
        value: {
          warnings: [expect.stringContaining('clusters[0].drains has no effect any more. Messages of a queue')],
        },
      });
      expect(read).not.toHaveProperty('value.clusters.0.drains');
    },
  );

  it('refuses traces in a region whose Lambda sends none', () => {
    expect(complaintsOf('clusters: [{name: a, region: cn-north-1, tracing: true}]')).toEqual([
      expect.stringContaining('tracing: expected false: Lambda sends no traces to X-Ray in cn-north-1, found true'),
    ]);
  });

  it('refuses a function URL in a region without them', () => {
    expect(complaintsOf('clusters: [{name: a, region: us-gov-west-1, webhook: functionUrl}]')).toEqual([
      expect.stringContaining(
        'clusters[0].webhook: expected httpApi or none: Lambda has no function URLs in us-gov-west-1, found functionUrl',
      ),
    ]);
  });

  it('has Cluster API node groups by an empty object, with the defaults of Cluster Autoscaler’s provider', () => {
    expect(clusterOf('clusterApi: {}').clusterApi).toEqual({
      apiGroup: 'cluster.x-k8s.io',
      discovery: [],
      machineDeployments: true,
      defaultArchitecture: 'amd64',
      infrastructureTemplates: ['*.infrastructure.cluster.x-k8s.io'],
      autoScalingGroups: true,
      managementCluster: null,
    });
  });

  it('has every setting of Cluster API node groups, which are written as they are read', () => {
    const { clusterApi } = clusterOf(`
clusterApi:
  apiGroup: machine.openshift.io
  discovery: ["clusterapi:namespace=blue,owner=jim", "clusterapi:clusterName=web"]
  machineDeployments: false
  defaultArchitecture: arm64
  infrastructureTemplates: [awsmachinetemplates.infrastructure.cluster.x-k8s.io]
  autoScalingGroups: false
  managementCluster: {name: management, region: eu-west-1, role: "arn:aws:iam::210987654321:role/capi", externalId: team-a}
`);
    expect(clusterApi).toEqual({
      apiGroup: 'machine.openshift.io',
      discovery: [
        { namespace: 'blue', clusterName: null, labels: { owner: 'jim' } },
        { namespace: null, clusterName: 'web', labels: {} },
      ],
      machineDeployments: false,
      defaultArchitecture: 'arm64',
      infrastructureTemplates: ['awsmachinetemplates.infrastructure.cluster.x-k8s.io'],
      autoScalingGroups: false,
      managementCluster: {
        name: 'management',
        region: 'eu-west-1',
        role: 'arn:aws:iam::210987654321:role/capi',
        externalId: 'team-a',
      },
    });
    expect(parseClusterApi(JSON.stringify(writeClusterApi(clusterApi!)), 'here')).toEqual(clusterApi);
  });

  it.each([
    ['apiGroup: Cluster', 'clusterApi.apiGroup: expected an API group such as cluster.x-k8s.io, found "Cluster"'],
    ['discovery: ["asg:tag=a"]', 'clusterApi.discovery[0]: expected clusterapi:namespace=NAMESPACE'],
    ['discovery: "clusterapi:"', 'clusterApi.discovery: expected a list of at most 50 specifications'],
    ['machineDeployment: true', 'clusterApi.machineDeployment: expected '],
    ['defaultArchitecture: x86', 'clusterApi.defaultArchitecture: expected one of amd64, arm64, ppc64le, s390x'],
    ['infrastructureTemplates: ["*"]', 'clusterApi.infrastructureTemplates[0]: expected templates as RESOURCE.GROUP'],
    [
      'managementCluster: {region: eu-west-1}',
      'clusterApi.managementCluster.name: expected the name of an EKS cluster',
    ],
    ['managementCluster: {name: m, externalId: abc}', 'clusterApi.managementCluster.externalId: expected role with it'],
  ])('refuses clusterApi: {%s}', (setting, complaint) => {
    expect(complaintsOf(`clusters: [{name: a, clusterApi: {${setting}}}]`)).toEqual([
      expect.stringContaining(`clusters[0].${complaint}`),
    ]);
  });

  it('refuses discovery of Auto Scaling groups where there are none', () => {
    expect(
      complaintsOf('clusters: [{name: a, discovery: {tags: [team]}, clusterApi: {autoScalingGroups: false}}]'),
    ).toEqual([expect.stringContaining('clusterApi.autoScalingGroups: expected no discovery with it')]);
  });

  it('takes tags as Cluster Autoscaler’s --node-group-auto-discovery has them', () => {
    expect(clusterOf('discovery: {tags: "asg:tag=team, kubernetes.io/cluster/web=owned"}').discovery).toEqual({
      tags: [
        { key: 'team', value: null },
        { key: 'kubernetes.io/cluster/web', value: 'owned' },
      ],
      nodes: [],
    });
  });

  it.each(['mig:namePrefix=a', 'asg:tag=', 'asg:tag=,', `asg:tag=${'a,'.repeat(21)}`])('but not as %j', (tags) => {
    expect(complaintsOf(`clusters: [{name: a, discovery: {tags: ${JSON.stringify(tags)}}}]`)).toEqual([
      expect.stringMatching(/^\S+:1: clusters\[0\]\.discovery\.tags: expected .*asg:tag=KEY,… with 1 to 20 tags/),
    ]);
  });

  it.each([
    ['dryRun: true', 'observe'],
    ['dryRun: false', 'act'],
  ])('with the former %s has mode %s', (text, mode) => {
    expect(clusterOf(text).mode).toBe(mode);
  });

  it.each([
    ['doorbellConcurrency: 7', 'reservedConcurrency', 7],
    ['tickInterval: 5m', 'scanInterval', minutes(5)],
  ] as const)('takes the former name in %s for %s, in defaults, too', (text, name, value) => {
    expect(clusterOf(text)[name]).toBe(value);
    const read = readConfiguration(`defaults: {${text}}\nclusters: [{name: web}]`, FILE);
    expect(read.ok && read.value.clusters[0]![name]).toBe(value);
  });

  it('takes the setting of a cluster before that of the defaults, whichever has the former name', () => {
    for (const [ofAll, own] of [
      ['tickInterval', 'scanInterval'],
      ['scanInterval', 'tickInterval'],
    ]) {
      const read = readConfiguration(`defaults: {${ofAll}: 5m}\nclusters: [{name: web, ${own}: 10m}]`, FILE);
      expect(read.ok && read.value.clusters[0]!.scanInterval).toBe(minutes(10));
    }
  });

  it.each([
    ['', 10],
    ['reservedConcurrency: none', null],
    ['reservedConcurrency: 5', 5],
    ['webhook: httpApi', null],
    ['webhook: httpApi\nreservedConcurrency: 3', 3],
    ['webhook: none', null],
  ])('reserves concurrency for a function URL, unless told otherwise: %s', (settings, reserved) => {
    expect(clusterOf(settings).reservedConcurrency).toBe(reserved);
  });

  it('takes an account without quotes', () => {
    expect(clusterOf('region: eu-west-1\naccount: 123456789012').account).toBe('123456789012');
  });

  it.each([
    ['two regions', '{name: a, region: eu-west-1}', '{name: a, region: us-east-1}'],
    [
      'two accounts',
      '{name: a, region: eu-west-1, account: "111111111111"}',
      '{name: a, region: eu-west-1, account: "222222222222"}',
    ],
  ])('may have clusters of one name in %s', (_what, ...clusters) => {
    expect(complaintsOf(`clusters: [${clusters.join(', ')}]`)).toEqual([]);
  });

  it('is read from JSON as well', () => {
    expect(complaintsOf('{\n  "clusters": [\n    {"name": "a", "mode": "on"}]}')).toEqual([
      `${FILE}:3: clusters[0].mode: expected one of observe, act, found "on"`,
    ]);
  });
});

describe('defaults', () => {
  const namesAnd = (text: string, settings: readonly (keyof ClusterConfig)[]): unknown => {
    const read = readConfiguration(text, FILE);
    return read.ok && read.value.clusters.map((cluster) => settings.map((setting) => cluster[setting]));
  };

  it('are the settings of each cluster that does not say otherwise, and their options are merged whatever their spelling is', () => {
    const text = `
defaults:
  mode: act
  size: small
  options: { max-nodes-total: 100, expander: least-waste }
clusters:
- name: a
- { name: b, mode: observe, options: { maxNodesTotal: 5 } }
- { name: c, options: null }
`;
    expect(namesAnd(text, ['name', 'mode', 'size', 'options'])).toEqual([
      ['a', 'act', 'small', { maxNodesTotal: 100, expander: ['least-waste'] }],
      ['b', 'observe', 'small', { maxNodesTotal: 5, expander: ['least-waste'] }],
      ['c', 'act', 'small', {}],
    ]);
  });

  it('are wrong once, and contradict a cluster where that is', () => {
    expect(complaintsOf('defaults: {sise: small}\nclusters:\n- {name: a}\n- {name: b}')).toEqual([
      expect.stringMatching(/^outrigger.config.yaml:1: defaults.sise: .*did you mean size/),
    ]);
    expect(
      complaintsOf('defaults: {reservedConcurrency: 2}\nclusters:\n- {name: a}\n- {name: b, webhook: none}'),
    ).toEqual([
      expect.stringMatching(/^outrigger.config.yaml:4: clusters\[1\].reservedConcurrency: expected a webhook with it/),
    ]);
  });
});

describe('what is wrong is said with its line and its place', () => {
  it('all of it at once', () => {
    expect(
      complaintsOf(`clusters:
- name: a/b
  acount: 1
  role: admin
- name: web
  vpc:
    vpcId: web
  discovery:
    nodes:
    - "10:1:x"
  options:
    max-node-total: 3
    scaleDownUnneededTime: "10"
    expander: [least-waste, cheapest]
  scanInterval: 90s
`),
    ).toEqual([
      `${FILE}:2: clusters[0].name: expected the name of an EKS cluster: letters, digits, - and _, at most 100, found "a/b"`,
      expect.stringMatching(
        /^outrigger.config.yaml:3: clusters\[0\].acount: .*\(did you mean account\?\), found "acount"$/,
      ),
      `${FILE}:4: clusters[0].role: expected the ARN of a role such as arn:aws:iam::123456789012:role/outrigger, found "admin"`,
      `${FILE}:7: clusters[1].vpc.vpcId: expected an identifier such as vpc-0123456789abcdef0, found "web"`,
      `${FILE}:7: clusters[1].vpc.subnetIds: expected a list of 1 to 16 subnets, found nothing`,
      `${FILE}:7: clusters[1].vpc.securityGroupIds: expected a list of 1 to 5 security groups, found nothing`,
      `${FILE}:10: clusters[1].discovery.nodes[0]: expected an Auto Scaling group as min:max:name, such as 1:10:workers, found "10:1:x"`,
      `${FILE}:12: clusters[1].options.max-node-total: expected a known option (did you mean maxNodesTotal?), found "max-node-total"`,
      `${FILE}:13: clusters[1].options.scaleDownUnneededTime: expected a duration such as 30s, 10m or 1h30m, or auto, found "10"`,
      expect.stringContaining(`${FILE}:14: clusters[1].options.expander[1]: expected one of random`),
      `${FILE}:15: clusters[1].scanInterval: expected 10s, 15s, 20s, 30s, or a duration of whole minutes from 1m to 1h, found "90s"`,
    ]);
  });

  it.each([
    ['an account without its region', '- {name: a, account: "123456789012"}', 'region with account'],
    [
      'tokens of no webhook',
      `- {name: a, webhook: none, webhookTokenHashes: [${'a'.repeat(64)}]}`,
      'a webhook with it, found webhook: none',
    ],
    ['concurrency of no webhook', '- {name: a, webhook: none, reservedConcurrency: 2}', 'a webhook with it'],
    ['a token in the place of its hash', '- {name: a, webhookTokenHashes: [token]}', 'the SHA-256 of a token'],
    ['mode and dryRun', '- {name: a, mode: act, dryRun: true}', 'mode alone'],
    ['a discovery of nothing', '- {name: a, discovery: {}}', 'tags, nodes or both'],
    ['a group twice', '- {name: a, discovery: {nodes: ["1:2:g", "1:3:g"]}}', 'each Auto Scaling group once'],
    [
      'a topic in another region than its rule',
      '- {name: a, region: eu-west-1, messageTopicArn: "arn:aws:sns:us-east-1:123456789012:ops"}',
      'messageTopicArn: expected an ARN of eu-west-1',
    ],
    ['a cluster twice', '- {name: a}\n- {name: a}', 'each cluster once'],
    ['a cluster that may be the same', '- {name: a, region: eu-west-1}\n- {name: a}', 'each cluster once'],
    ['a name whose tag every group has', '- name: Enabled', 'cluster "enabled"'],
    [
      'applyManifests with hashes',
      '- {name: a, applyManifests: true, webhookTokenHashes: []}',
      'no applyManifests with it',
    ],
    ['a version of a token that is not made', '- {name: a, webhookTokenVersion: 2}', 'applyManifests: true with it'],
    ['a scheduler’s user that breaks out of an expression', `- {name: a, schedulerUsers: ["x', 'y"]}`, 'the user of a'],
    ['options that do not go together', '- {name: a, options: {balancingLabel: x, balancing-ignore-label: y}}', 'none'],
  ])('%s', (_what, clusters, complaint) => {
    expect(complaintsOf(`clusters:\n${clusters}`)).toEqual([expect.stringContaining(complaint)]);
  });

  it.each([
    ['an empty file', '', 'found nothing: the file is empty'],
    ['no list', 'name: web', 'did you mean'],
    ['an empty list', 'clusters: []', 'expected a list of 1 to 500 clusters'],
    ['two documents', 'clusters: []\n---\nclusters: []', 'found 2 documents'],
    ['no YAML', 'clusters: [', `${FILE}:1`],
  ])('%s', (_what, text, complaint) => {
    expect(complaintsOf(text).join('\n')).toContain(text === 'name: web' ? 'expected a list of 1 to 500' : complaint);
  });
});

it('a list from elsewhere is read by the same rules', () => {
  expect(readClusterList([{ name: 'web' }], 'context')).toMatchObject({
    value: { clusters: [{ mode: 'observe' }] },
  });
});

it('warnings name the line', () => {
  const read = readConfiguration('clusters:\n- name: web\n  options:\n    scan-interval: 10s\n', FILE);
  expect(read).toMatchObject({
    value: {
      warnings: [
        `${FILE}:4: clusters[0].options.scan-interval has no effect. Evaluations follow events. Without one, an evaluation comes every scanInterval.`,
      ],
    },
  });
});
