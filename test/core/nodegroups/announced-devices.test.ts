import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';
import { ago, AT_ONCE, BEFORE, replica, stays, WEB } from '../scaledown/cluster.ts';

const GPU = 'nvidia.com/gpu';
const ACCELERATOR = { 'k8s.amazonaws.com/accelerator': 'nvidia-tesla-t4' };
/** As EC2 describes the type; memory of equal instances differs by some KiB. */
const DECLARED = { cpu: 8, memory: '30Gi', [GPU]: 1 };

const gpuNode = (name: string, age: number, gpus = 0, labels = {}): Node =>
  node(name, { cpu: 8, memory: '31457276Ki', ...(gpus > 0 && { [GPU]: gpus }) }, { createdAt: ago(age), labels });

const cpuPod = pod('cpu', { requests: { cpu: 6 } });
const gpuPod = pod('gpu', { requests: { cpu: 1, [GPU]: 1 } });

interface Given {
  readonly nodes: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly options?: Parameters<typeof scenario>[0]['options'];
}

const decide = ({ nodes, pods = [], options = {} }: Given): Decision =>
  evaluate(
    scenario({
      groups: [
        group('gpu', { node: DECLARED, nodes: nodes.map(({ name }) => name) }),
        group('cpu', { node: { cpu: 8, memory: '30Gi' }, nodes: ['c-0', 'c-1'] }),
      ],
      nodes: [...nodes, ...times(2, (i) => node(`c-${i}`, { cpu: 8, memory: '30Gi' }, { createdAt: ago(600) }))],
      pods: [
        ...pods,
        // Every node is in use.
        ...[...nodes.map(({ name }) => name), 'c-0', 'c-1'].map((on, i) =>
          replica(`r-${i}`, on, { requests: { cpu: 5 } }),
        ),
      ],
      objects: { controllers: [WEB] },
      options: { ...AT_ONCE, ...options },
      state: BEFORE,
    }),
  );

const increases = ({ scaleUp }: Decision) => scaleUp.increases.map(({ group: name, from, to }) => [name, to - from]);

describe('nodes whose devices no device plugin announces', () => {
  test.each([
    ['by what EC2 says of their type', {}],
    ['by their label', ACCELERATOR],
  ])('are ready, and make no cluster unhealthy: %s', (_, labels) => {
    const decision = decide({ nodes: times(4, (i) => gpuNode(`g-${i}`, 60, 0, labels)), pods: [cpuPod] });
    expect(decision.registry.clusterHealthy).toBe(true);
    expect(decision.registry.groups[groupName('gpu')]).toMatchObject({ ready: 4, unready: 0, healthy: true });
    expect(decision.scaleUp.result).toBe('ScaledUp');
  });

  test('are starting for as long as a node may take', () => {
    const { registry, scaleUp } = decide({ nodes: [gpuNode('g-0', 14)], pods: [gpuPod] });
    expect(registry.groups[groupName('gpu')]).toMatchObject({ ready: 0, notStarted: 1 });
    expect(scaleUp.pods).toMatchObject([{ outcome: 'Fits' }]);
    const later = decide({ nodes: [gpuNode('g-0', 14)], options: { maxNodeStartupTime: minutes(10) } });
    expect(later.registry.groups[groupName('gpu')]).toMatchObject({ ready: 1, notStarted: 0 });
  });

  test('are no room for pods that ask for devices, and no reason for another node in vain', () => {
    const decision = decide({ nodes: [gpuNode('g-0', 60)], pods: [gpuPod] });
    expect(increases(decision)).toEqual([]);
    expect(decision.scaleUp.pods).toMatchObject([
      { outcome: 'Unschedulable', reasons: expect.arrayContaining([{ group: 'gpu', reason: `Insufficient ${GPU}` }]) },
    ]);
  });

  test('keep no group from new nodes with devices of which another node announces some', () => {
    const nodes = [gpuNode('g-0', 60), gpuNode('g-1', 60, 1)];
    const taken = { ...replica('user', 'g-1', { requests: { cpu: 1, [GPU]: 1 } }) };
    expect(increases(decide({ nodes, pods: [gpuPod, taken] }))).toEqual([['gpu', 1]]);
  });

  test('are not removed as nodes that are not ready', () => {
    const given = { nodes: [gpuNode('g-0', 60)], options: { scaleDownUnreadyEnabled: false } };
    expect(stays(decide(given))).toMatchObject({ 'g-0': 'NotUnderutilized' });
  });
});
