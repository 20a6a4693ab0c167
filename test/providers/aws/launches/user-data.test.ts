import { NO_SETTINGS } from '../../../../providers/aws/launches/kubelet-settings.ts';
import { expect, test } from 'vitest';
import { readUserData } from '../../../../providers/aws/launches/user-data.ts';

const NODE_CONFIG = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 58
    flags: ["--node-labels=a=b"]
--B--
`;

test.each([
  ['none', '', { kind: 'addresses' }],
  ['no limit', '#!/bin/bash\n/etc/eks/bootstrap.sh c1', { kind: 'addresses' }],
  ['flag', "bootstrap.sh c1 --kubelet-extra-args '--max-pods=17'", { kind: 'fixed', pods: 17 }],
  ['flag after a space', 'bootstrap.sh c1 --kubelet-extra-args "--max-pods 110"', { kind: 'fixed', pods: 110 }],
  ['flag twice: the last', 'bootstrap.sh --max-pods=17 --max-pods=29', { kind: 'fixed', pods: 29 }],
  ['computed when it runs', 'bootstrap.sh --kubelet-extra-args "--max-pods=$MAX"', { kind: 'addresses' }],
  ['NodeConfig', NODE_CONFIG, { kind: 'fixed', pods: 58 }],
  ['kubelet configuration as JSON', '{"kubelet": {"config": {"maxPods": 20}}}', { kind: 'fixed', pods: 20 }],
  ['Bottlerocket', '[settings.kubernetes]\nmax-pods = 30\n', { kind: 'fixed', pods: 30 }],
  ['prefixes', 'max-pods-calculator.sh --cni-prefix-delegation-enabled', { kind: 'prefixes' }],
  ['prefixes by variable', 'export ENABLE_PREFIX_DELEGATION=true', { kind: 'prefixes' }],
])('pod limit: %s', (_, text, expected) => {
  expect(readUserData(Buffer.from(text).toString('base64')).podLimit).toEqual(expected);
});

test.each([
  ['[settings.kubernetes]\ncluster-name = "c1"', true],
  ['#!/bin/bash', false],
])('%j is Bottlerocket: %s', (text, expected) => {
  expect(readUserData(Buffer.from(text).toString('base64')).bottlerocket).toBe(expected);
});

test('no user data, and what is not text, say nothing', () => {
  const nothing = {
    podLimit: { kind: 'addresses' },
    labels: {},
    taints: [],
    bottlerocket: false,
    kubelet: NO_SETTINGS,
  };
  expect(readUserData(null)).toEqual(nothing);
  expect(readUserData('H4sIAAAAAAAA/w==')).toEqual(nothing);
});

const BOTTLEROCKET = `[settings.kubernetes]
cluster-name = "c1"
[settings.kubernetes.node-labels]
"team" = "web"
"example.com/pool" = "general" # ours
[settings.kubernetes.node-taints]
dedicated = "web:NoSchedule"
"special" = ["true:PreferNoSchedule", ":NoExecute"]
[settings.ntp]
mode = "smear"
`;
const EKS = `kubelet:
  flags:
    - "--node-labels=eks.amazonaws.com/nodegroup-image=ami-1,eks.amazonaws.com/nodegroup=workers,team="
    - --node-labels=team=web
    - "--register-with-taints=dedicated=web:NoSchedule,special:NoExecute"`;

test.each<readonly [string, string, object, readonly (readonly [string, string, string])[]]>([
  ['nothing', '#!/bin/bash', {}, []],
  [
    'flags of the script',
    "bootstrap.sh c1 --kubelet-extra-args '--node-labels=team=web,lifecycle=spot --register-with-taints=a=b:NoSchedule'",
    { team: 'web', lifecycle: 'spot' },
    [['a', 'b', 'NoSchedule']],
  ],
  [
    'NodeConfig as EKS writes it, a label given twice',
    EKS,
    { 'eks.amazonaws.com/nodegroup-image': 'ami-1', 'eks.amazonaws.com/nodegroup': 'workers', team: 'web' },
    [
      ['dedicated', 'web', 'NoSchedule'],
      ['special', '', 'NoExecute'],
    ],
  ],
  ['NodeConfig in brackets', NODE_CONFIG, { a: 'b' }, []],
  [
    'settings of Bottlerocket',
    BOTTLEROCKET,
    { team: 'web', 'example.com/pool': 'general' },
    [
      ['dedicated', 'web', 'NoSchedule'],
      ['special', 'true', 'PreferNoSchedule'],
      ['special', '', 'NoExecute'],
    ],
  ],
  [
    'a flag of taints replaces those before it, and the taints of the configuration',
    `${EKS}\n    - --register-with-taints=a=b:NoExecute\n`,
    { 'eks.amazonaws.com/nodegroup-image': 'ami-1', 'eks.amazonaws.com/nodegroup': 'workers', team: 'web' },
    [['a', 'b', 'NoExecute']],
  ],
  [
    'what variables leave unsaid is left out',
    'kubelet --node-labels=team=web,zone=$ZONE,$MORE --register-with-taints=$TAINTS,a=b:Sometimes',
    { team: 'web' },
    [],
  ],
])('labels and taints of the node: %s', (_, text, labels, taints) => {
  const read = readUserData(Buffer.from(text).toString('base64'));
  expect(read.labels).toEqual(labels);
  expect(read.taints).toEqual(taints.map(([key, value, effect]) => ({ key, value, effect })));
});

test.each([
  ['RAID0', 'spec: {instance: {localStorage: {strategy: RAID0}}}', 1],
  ['RAID10', 'spec: {instance: {localStorage: {strategy: RAID10}}}', 0.5],
  ['disks mounted one by one', 'spec: {instance: {localStorage: {strategy: Mount}}}', 0],
  ['AL2', '/etc/eks/bootstrap.sh web --local-disks raid0', 1],
])('share of the instance store that pods use: %s', (_, text, share) => {
  const userData = text.startsWith('spec') ? `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n${text}\n` : text;
  expect(readUserData(Buffer.from(userData).toString('base64')).kubelet.instanceStoreShare).toBe(share);
});

test('user data of line breaks alone is read in no time', () => {
  const text = `${'\n'.repeat(12_000)}x`;
  const before = process.cpuUsage();
  readUserData(Buffer.from(`[settings.kubernetes.node-labels]\n${text}`).toString('base64'));
  expect(process.cpuUsage(before).user).toBeLessThan(150_000);
});
