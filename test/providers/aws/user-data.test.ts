import { expect, test } from 'vitest';
import { readUserData } from '../../../providers/aws/user-data.ts';

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
  const nothing = { podLimit: { kind: 'addresses' }, labels: {}, taints: [], bottlerocket: false };
  expect(readUserData(null)).toEqual(nothing);
  expect(readUserData('H4sIAAAAAAAA/w==')).toEqual(nothing);
});
