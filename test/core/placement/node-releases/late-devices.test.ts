import { describe, expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../../core/evaluate.ts';
import { AWAITING_PODS_TAINT, type Node } from '../../../../core/model/cluster/node.ts';
import type { Toleration } from '../../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../../core/model/cluster/workloads.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { addTime, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { type Amounts, controller, node, pod, type PodOptions } from '../../../builders.ts';
import { group, type GroupGiven, NOW, scenario, type ScenarioGiven } from '../../../scenario-builders.ts';

const GPU = 'nvidia.com/gpu';
const EFA = 'vpc.amazonaws.com/efa';
const CORES = { cpu: 4, memory: '16Gi' };
const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

/** A node that is ready but for the taint. */
const held = (name: string, amounts: Amounts = CORES, readyFor = 20): Node =>
  node(name, amounts, {
    createdAt: epochMs(NOW - 90_000),
    taints: [AWAITING],
    conditions: [{ type: 'Ready', status: 'True', reason: '', since: epochMs(NOW - readyFor * 1_000) }],
  });

const training = (name: string, requests: Amounts = { cpu: 1, [GPU]: 1 }, options: PodOptions = {}) =>
  pod(name, { owner: 'ReplicaSet/training', requests, ...options });

/** Decision about these nodes of a group whose nodes are to have GPUs. */
function decided(nodes: readonly Node[], given: ScenarioGiven & { readonly of?: GroupGiven } = {}) {
  const { of, ...rest } = given;
  const target = nodes.length;
  const state = {
    scaleUpRequests: [
      {
        group: groupName('gpus'),
        increase: target,
        time: epochMs(NOW - 120_000),
        expectedAddTime: addTime(NOW, minutes(14)),
      },
    ],
  };
  const gpus = group('gpus', {
    nodes: nodes.map(({ name }) => name),
    node: { ...CORES, [GPU]: 1 },
    taints: [AWAITING],
    ...of,
  });
  const options = { plannedPlacement: true, unschedulablePodWithGpuTimeBuffer: seconds(0) };
  const input = scenario({ groups: [gpus], nodes, state, ...rest, options: { ...options, ...rest.options } });
  const { releases = [], awaitingDevices = [] } = evaluateScaleUp(input).scaleUp;
  return { open: Object.fromEntries(releases.map(({ node: name, pods }) => [name, pods])), closed: awaitingDevices };
}

describe('a ready node whose devices are not announced yet', () => {
  const pods = [training('p')];

  test('stays closed where a pod that is planned on it asks for them', () => {
    expect(decided([held('a')], { pods })).toEqual({ open: {}, closed: ['a'] });
    expect(decided([held('a', { ...CORES, [GPU]: 0 })], { pods })).toEqual({ open: {}, closed: ['a'] });
  });

  test('is opened with its pods once they are', () => {
    expect(decided([held('a', { ...CORES, [GPU]: 1 })], { pods })).toEqual({ open: { a: ['default/p'] }, closed: [] });
  });

  test('does not keep others closed, whose pods have their places there', () => {
    const two = [training('p'), training('q')];
    expect(decided([held('a'), held('b', { ...CORES, [GPU]: 1 })], { pods: two })).toEqual({
      open: { b: ['default/q'] },
      closed: ['a'],
    });
  });

  test('is awaited whatever the devices are, and until the last of them is there', () => {
    const of = { node: { ...CORES, [GPU]: 1, [EFA]: 1 } };
    const both = [training('p', { cpu: 1, [GPU]: 1, [EFA]: 1 })];
    expect(decided([held('a', { ...CORES, [GPU]: 1 })], { of, pods: both }).closed).toEqual(['a']);
    expect(decided([held('a', { ...CORES, [GPU]: 1, [EFA]: 1 })], { of, pods: both }).closed).toEqual([]);
  });

  test.each([
    ['30 s', 30, ['a']],
    ['longer than 30 s', 30.001, []],
  ])('that has been ready for %s', (_, readyFor, closed) => {
    const other = pod('other', { requests: { cpu: 1 } });
    const found = decided([held('a', CORES, readyFor)], { pods: [...pods, other] });
    // Pods that fit without the devices are nominated.
    expect(found).toEqual(closed.length > 0 ? { open: {}, closed } : { open: { a: ['default/other'] }, closed });
  });

  test('is opened at once where no pod is planned on it that asks for them', () => {
    const other = pod('other', { requests: { cpu: 1 } });
    expect(decided([held('a')], { pods: [other] })).toEqual({ open: { a: ['default/other'] }, closed: [] });
    expect(decided([held('a')])).toEqual({ open: { a: [] }, closed: [] });
    // More than the node will have: there is no place for it there.
    expect(decided([held('a')], { pods: [training('p', { cpu: 1, [GPU]: 2 })] }).closed).toEqual([]);
  });

  test('is opened at once where nothing is nominated to it', () => {
    const off = { options: { plannedPlacement: false } };
    expect(decided([held('a')], { pods, of: off })).toEqual({ open: { a: [] }, closed: [] });
    expect(decided([held('a')], { pods, ...off })).toEqual({ open: { a: [] }, closed: [] });
  });

  describe('and a DaemonSet', () => {
    const ANY: Toleration = { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null };
    const daemonSet = (tolerations: readonly Toleration[], spec: PodOptions['spec'] = {}): Controller =>
      controller('DaemonSet/plugin', {
        namespace: 'kube-system',
        template: pod('plugin', {
          namespace: 'kube-system',
          owner: 'DaemonSet/plugin',
          spec: { tolerations, ...spec },
          unscheduled: null,
        }),
      });

    test.each<[string, Controller, readonly string[]]>([
      ['that the taint keeps off, which may be what announces them: is opened', daemonSet([]), []],
      ['that tolerates the taint: stays closed', daemonSet([ANY]), ['a']],
      ['that does not come to it: stays closed', daemonSet([], { nodeSelector: { disk: 'ssd' } }), ['a']],
      ['of another kind: stays closed', { ...daemonSet([]), kind: 'ReplicaSet' }, ['a']],
    ])('%s', (_, controller, closed) => {
      expect(
        decided([held('a')], { pods, objects: { controllers: [controller], pods, nodes: [held('a')] } }).closed,
      ).toEqual(closed);
    });

    test('whose pod is there all the same: stays closed', () => {
      const there = pod('plugin-a', { namespace: 'kube-system', owner: 'DaemonSet/plugin', node: 'a' });
      const objects = { controllers: [daemonSet([])], pods: [...pods, there] };
      expect(decided([held('a')], { objects: { nodes: [held('a')], ...objects } }).closed).toEqual(['a']);
    });
  });
});
