import { describe, expect, test } from 'vitest';
import { describeMalformed, parseCapacity } from '../../../../providers/clusterapi/templates/capacity.ts';

const PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
const GPU = { 'gpu-type': 'nvidia.com/gpu' };
const NOTHING = { resources: {}, labels: {}, taints: [] };

const annotations = (own: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(own).map(([key, value]) => [key.includes('/') ? key : PREFIX + key, value]));

const taint = (key: string, value: string, effect: string) => ({ key, value, effect });

describe('well-formed annotations', () => {
  test.each<readonly [Readonly<Record<string, string>>, object]>([
    [{ cpu: '4' }, { resources: { cpu: 4_000 } }],
    [{ cpu: '1500m' }, { resources: { cpu: 1_500 } }],
    [{ memory: '16Gi' }, { resources: { memory: 16 * 2 ** 30 } }],
    [{ memory: '1e9' }, { resources: { memory: 1e9 } }],
    [{ 'ephemeral-disk': '100Gi' }, { resources: { 'ephemeral-storage': 100 * 2 ** 30 } }],
    [{ maxPods: '58' }, { resources: { pods: 58 } }],
    [{ ...GPU, 'gpu-count': '2' }, { resources: { 'nvidia.com/gpu': 2 } }],
    [{ 'gpu-type': 'amd.com/gpu', 'gpu-count': '+1' }, { resources: { 'amd.com/gpu': 1 } }],
    [{ ...GPU, 'gpu-count': '0' }, {}],
    [{ 'gpu-count': '0' }, {}],
    [{ 'gpu-count': '2', 'dra-driver': 'gpu.nvidia.com' }, {}],
    [{ cpu: '0', memory: '0', maxPods: '0' }, {}],
    [{ cpu: '', labels: '', taints: '' }, {}],
    [{ labels: 'a=b' }, { labels: { a: 'b' } }],
    [{ labels: 'example.com/pool=x, empty=' }, { labels: { 'example.com/pool': 'x', empty: '' } }],
    [{ labels: 'a=1,a=2,' }, { labels: { a: '2' } }],
    [{ taints: 'dedicated=web:NoSchedule' }, { taints: [taint('dedicated', 'web', 'NoSchedule')] }],
    [
      { taints: 'a:NoExecute,example.com/b=:PreferNoSchedule' },
      { taints: [taint('a', '', 'NoExecute'), taint('example.com/b', '', 'PreferNoSchedule')] },
    ],
    [{ 'csi-driver': 'ebs.csi.aws.com=25, efs.csi.aws.com=0' }, {}],
    [{ 'something-new': 'whatever' }, {}],
    [
      { 'machine.openshift.io/vCPU': '8', 'machine.openshift.io/memoryMb': '32768', 'machine.openshift.io/GPU': '1' },
      { resources: { cpu: 8_000, memory: 32_768 * 2 ** 20, 'nvidia.com/gpu': 1 } },
    ],
    [{ 'machine.openshift.io/GPU': '4', 'gpu-type': 'amd.com/gpu' }, { resources: { 'amd.com/gpu': 4 } }],
    [{ 'machine.openshift.io/GPU': '0', 'machine.openshift.io/maxPods': '250' }, { resources: { pods: 250 } }],
    [{ cpu: '2', 'machine.openshift.io/vCPU': '8' }, { resources: { cpu: 2_000 } }],
    [
      { 'gpu-type': 'nvidia.com/gpu', 'gpu-count': '1', 'machine.openshift.io/GPU': '4' },
      { resources: { 'nvidia.com/gpu': 1 } },
    ],
  ])('%j', (given, expected) => {
    expect(parseCapacity(annotations(given))).toEqual({ stated: { ...NOTHING, ...expected }, malformed: [] });
  });
});

describe('malformed annotations', () => {
  test.each<readonly [string, string, RegExp]>([
    ['cpu', 'four', /a quantity/],
    ['cpu', '-1', /at least 0/],
    ['memory', '16GB', /a quantity/],
    ['memory', '1 Gi', /a quantity/],
    ['ephemeral-disk', '-5Gi', /at least 0/],
    ['maxPods', '110.5', /an integer/],
    ['maxPods', '-1', /an integer of at least 0/],
    ['maxPods', '1e3', /an integer/],
    ['gpu-count', '2', /gpu-type as well/],
    ['gpu-count', '-2', /an integer of at least 0/],
    ['gpu-count', 'two', /an integer/],
    ['gpu-type', 'nvidia.com/gpu', /gpu-count as well/],
    ['gpu-type', 'gpu', /a resource name/],
    ['gpu-type', 'nvidia.com/gpu/a100', /a resource name/],
    ['labels', 'a', /KEY=VALUE/],
    ['labels', '=b', /KEY=VALUE/],
    ['labels', 'a b=c', /KEY=VALUE/],
    ['labels', 'a=b=c', /KEY=VALUE/],
    ['labels', 'Example.COM/a=b', /KEY=VALUE/],
    ['labels', `a=${'x'.repeat(64)}`, /KEY=VALUE/],
    ['taints', 'dedicated', /KEY=VALUE:EFFECT/],
    ['taints', 'dedicated=web', /KEY=VALUE:EFFECT/],
    ['taints', 'dedicated=web:noschedule', /KEY=VALUE:EFFECT/],
    ['taints', 'dedicated=a=b:NoSchedule', /KEY=VALUE:EFFECT/],
    ['taints', 'dedicated=web:NoSchedule:NoExecute', /KEY=VALUE:EFFECT/],
    ['taints', ':NoSchedule', /KEY=VALUE:EFFECT/],
    ['dra-driver', 'GPU driver', /the name of a driver/],
    ['csi-driver', 'ebs.csi.aws.com', /NAME=LIMIT/],
    ['csi-driver', 'ebs.csi.aws.com=-1', /NAME=LIMIT/],
    ['csi-driver', 'ebs.csi.aws.com=many', /NAME=LIMIT/],
    ['machine.openshift.io/vCPU', 'x', /a quantity/],
    ['machine.openshift.io/memoryMb', '16Gi', /an integer of MiB/],
    ['machine.openshift.io/memoryMb', '999999999999999', /an integer of MiB/],
    ['machine.openshift.io/GPU', '0.5', /an integer/],
    ['machine.openshift.io/maxPods', '-250', /an integer/],
  ])('%s = %j counts as absent, and is reported with its place and value', (key, value, expected) => {
    const { stated, malformed } = parseCapacity(annotations({ [key]: value }));
    expect(stated).toEqual(NOTHING);
    expect(malformed).toEqual([
      {
        place: `annotation ${key.includes('/') ? key : PREFIX + key}`,
        expected: expect.stringMatching(expected),
        found: expect.stringContaining(value.slice(0, 20)),
      },
    ]);
  });

  test('of a list, the well-formed items count', () => {
    const { stated, malformed } = parseCapacity(annotations({ labels: 'a=b,c,d=e', taints: 'x:NoSchedule,y' }));
    expect(stated).toEqual({ resources: {}, labels: { a: 'b', d: 'e' }, taints: [taint('x', '', 'NoSchedule')] });
    expect(malformed).toHaveLength(2);
  });

  test('one that is malformed leaves its older form in place', () => {
    const { stated } = parseCapacity(annotations({ cpu: 'x', 'machine.openshift.io/vCPU': '8' }));
    expect(stated.resources).toEqual({ cpu: 8_000 });
  });

  test('a very long one is not read, and a sentence about very many of them is short', () => {
    const long = parseCapacity(annotations({ labels: 'a,'.repeat(10_000), taints: 'a,'.repeat(8_000) }));
    expect(long.malformed.filter(({ expected }) => expected.includes('16384'))).toHaveLength(1);
    expect(long.malformed).toHaveLength(8_001);
    expect(describeMalformed(long.malformed).length).toBeLessThan(1_200);
  });

  test('the sentence says what to do', () => {
    expect(describeMalformed(parseCapacity(annotations({ cpu: 'x', maxPods: '-1' })).malformed)).toBe(
      `annotation ${PREFIX}cpu: expected a quantity such as 500m, 2 or 1.5Gi, of at least 0, found "x"; ` +
        `annotation ${PREFIX}maxPods: expected an integer of at least 0, found "-1"; ` +
        'an annotation that is malformed counts as absent; correct it',
    );
  });
});
