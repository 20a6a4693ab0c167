import { describe, expect, test } from 'vitest';
import type { CsiDriver } from '../../../core/model/cluster/storage.ts';
import type { ResourceSlice } from '../../../core/model/cluster/resource-slice.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { awaitsDevices, nodesWithPublishedDevices } from '../../../core/model/accelerators.ts';
import { awaitsDrivers, csiNodesByName, requiredDrivers } from '../../../core/model/csi-drivers.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { countGroup } from '../../../core/registry/counts.ts';
import { isReady, isStarting, readinessOf } from '../../../core/registry/readiness.ts';
import { csiNode, node } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';

const options = {
  ...defaultOptions(),
  startupTaint: ['example.com/warming-up'],
  startupTaintPrefix: ['boot.example.com/'],
};
const condition = (type: string, status: string) => ({ type, status, reason: '', since: null });
const ready = condition('Ready', 'True');
const taint = (key: string) => ({ key, value: '', effect: 'NoSchedule' });

describe('isReady', () => {
  test.each([
    ['Ready', true, { conditions: [ready] }],
    ['Ready is False', false, { conditions: [condition('Ready', 'False')] }],
    ['Ready is Unknown', false, { conditions: [condition('Ready', 'Unknown')] }],
    ['no Ready condition', false, { conditions: [] }],
    ['DiskPressure', false, { conditions: [ready, condition('DiskPressure', 'True')] }],
    ['NetworkUnavailable', false, { conditions: [condition('NetworkUnavailable', 'True'), ready] }],
    ['MemoryPressure alone', true, { conditions: [ready, condition('MemoryPressure', 'True')] }],
    ['the not-ready taint', false, { taints: [taint('node.kubernetes.io/not-ready')] }],
    ['the disk-pressure taint', false, { taints: [taint('node.kubernetes.io/disk-pressure')] }],
    ['a startup taint by prefix', false, { taints: [taint('startup-taint.cluster-autoscaler.kubernetes.io/x')] }],
    ['a startup taint by option', false, { taints: [taint('example.com/warming-up')] }],
    ['one by a prefix of the options', false, { taints: [taint('boot.example.com/disks')] }],
    ['a prefix in another place', true, { taints: [taint('not-boot.example.com/disks')] }],
    ['some other taint', true, { taints: [taint('dedicated')] }],
  ])('%s → %s', (_, expected, given) => {
    expect(isReady(node('n', {}, given), options)).toBe(expected);
  });
});

// Source: `updateReadinessStats` of Cluster Autoscaler's clusterstate.go; the first class that fits.
describe('readinessOf', () => {
  const young = epochMs(NOW - 60_000);
  const old = epochMs(NOW - 3_600_000);
  const notReady = [condition('Ready', 'False')];
  const readiness = (
    given: Parameters<typeof node>[2],
    support: { readonly deleted?: boolean; readonly equipped?: boolean } = {},
  ) => {
    const of = node('n', {}, given);
    const starts = isStarting(of, options.maxNodeStartupTime, NOW);
    return readinessOf(of, { deleted: false, equipped: true, ...support }, starts, options);
  };

  test.each([
    ['gone from the cloud', 'Deleted', {}, true],
    ['suspended', 'Suspended', { conditions: [ready, condition('Suspended', 'True')] }, false],
    ['ready', 'Ready', { createdAt: young }, false],
    ['young and not ready', 'NotStarted', { createdAt: young, conditions: notReady }, false],
    ['old and not ready', 'Unready', { createdAt: old, conditions: notReady }, false],
    ['of unknown age and not ready', 'Unready', { conditions: notReady }, false],
  ])('a node that is %s is %s', (_, expected, given, deleted) => {
    expect(readiness(given, { deleted })).toBe(expected);
  });

  test.each([
    { name: 'ready and young, its devices missing', createdAt: young, equipped: false, expected: 'NotStarted' },
    { name: 'ready and old, its devices missing', createdAt: old, equipped: false, expected: 'Ready' },
    { name: 'ready, its devices there', createdAt: young, equipped: true, expected: 'Ready' },
  ])('a node that is $name is $expected', ({ createdAt, equipped, expected }) => {
    expect(readiness({ createdAt }, { equipped })).toBe(expected);
  });

  test.each([
    { name: 'just within its start-up time', age: 15 * 60_000 - 1, expected: 'NotStarted' },
    { name: 'just beyond it', age: 15 * 60_000, expected: 'Unready' },
  ])('a node that is not ready and $name is $expected', ({ age, expected }) => {
    const createdAt = epochMs(NOW - age);
    expect(readiness({ createdAt, conditions: notReady })).toBe(expected);
  });
});

// Source: Cluster Autoscaler's processors/customresources/gpu_processor.go.
describe('a node still awaits its devices', () => {
  const gpu = { cpu: 4, 'nvidia.com/gpu': 1 };
  const label = { 'k8s.amazonaws.com/accelerator': 'nvidia-tesla-t4' };
  const type = (name: string) => ({ [INSTANCE_TYPE_LABEL]: name });

  test.each([
    ['by its label', node('n', { cpu: 4 }, { labels: label }), null, true],
    ['by its template', node('n', { cpu: 4 }), node('t', gpu), true],
    ['by its template, none allocatable', node('n', { ...gpu, 'nvidia.com/gpu': 0 }), node('t', gpu), true],
    ['not when they are there', node('n', gpu, { labels: label }), node('t', gpu), false],
    ['not when slices of them are there', node('n', { 'nvidia.com/mig-1g.5gb': 7 }, { labels: label }), null, false],
    ['not when nothing speaks of any', node('n', { cpu: 4 }), node('t', { cpu: 4 }), false],
    [
      'not for other extended resources',
      node('n', { cpu: 4 }),
      node('t', { cpu: 4, 'vpc.amazonaws.com/pod-eni': 9 }),
      false,
    ],
    [
      'not by a template of another type',
      node('n', { cpu: 4 }, { labels: type('m5.large') }),
      node('t', gpu, { labels: type('g4dn.xlarge') }),
      false,
    ],
    [
      'by a template of the same type',
      node('n', { cpu: 4 }, { labels: type('g4dn.xlarge') }),
      node('t', gpu, { labels: type('g4dn.xlarge') }),
      true,
    ],
    [
      'by a template with another kind of device',
      node('n', { cpu: 4 }),
      node('t', { cpu: 4, 'aws.amazon.com/neuron': 1 }),
      true,
    ],
  ])('%s', (_, of, template, expected) => {
    expect(awaitsDevices(of, template, 'aws')).toBe(expected);
  });

  test('not when a driver of such devices has published some of the node, in a slice', () => {
    const slice = { name: 's', driver: 'gpu.nvidia.com', nodeName: nodeName('n'), devices: 8 };
    const published = (given: Partial<ResourceSlice>) => [...nodesWithPublishedDevices([{ ...slice, ...given }])];
    expect(published({})).toEqual(['n']);
    expect(published({ devices: 0 })).toEqual([]);
    expect(published({ nodeName: null })).toEqual([]);
    expect(published({ driver: 'net.example.com' })).toEqual([]);
  });

  test('by the label of its own provider', () => {
    const labelled = node('n', { cpu: 4 }, { labels: { 'cluster-api/accelerator': 'x' } });
    expect(awaitsDevices(labelled, null, 'clusterapi')).toBe(true);
    expect(awaitsDevices(labelled, null, 'aws')).toBe(false);
  });
});

describe('a node awaits CSI drivers', () => {
  const EBS = 'ebs.csi.aws.com';
  const required = requiredDrivers([
    { name: EBS, preventPodSchedulingIfMissing: true },
    { name: 'free.csi', preventPodSchedulingIfMissing: false },
  ]);
  const empty = (name: string) => csiNode(name, null, { drivers: [] });

  test.each([
    ['not where it has them', [csiNode('n', 25), csiNode('m', 25)], false],
    ['where another node of the group has them', [empty('n'), csiNode('m', 25)], true],
    ['not where no other node has them', [empty('n'), empty('m')], false],
    ['where no other node can tell', [empty('n')], true],
    ['without a CSINode', [], true],
  ])('%s', (_, csiNodes, expected) => {
    const nodes = ['n', 'm'].map(nodeName);
    expect(awaitsDrivers(nodeName('n'), nodes, required, csiNodesByName(csiNodes))).toBe(expected);
  });

  test('and counts as one that is starting, for as long as its group gives it', () => {
    const countOf = (createdAt: number, csiDrivers: readonly CsiDriver[]) => {
      const nodes = [node('n', {}, { createdAt: epochMs(createdAt) })];
      const given = scenario({ groups: [group('g', { nodes: ['n'] })], objects: { nodes, csiDrivers } });
      return countGroup(given.nodeGroups[0]!, new Map(nodes.map((one) => [one.name, one])), new Map(), given).nodes;
    };
    const drivers = [{ name: EBS, preventPodSchedulingIfMissing: true }];
    expect(countOf(NOW - 60_000, drivers)).toMatchObject({ Ready: [], NotStarted: ['n'] });
    expect(countOf(NOW - 60 * 60_000, drivers)).toMatchObject({ Ready: ['n'], NotStarted: [] });
    expect(countOf(NOW - 60_000, [])).toMatchObject({ Ready: ['n'], NotStarted: [] });
  });
});
