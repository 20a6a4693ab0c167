import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import { decreasing, demandOf, loadsIn } from '../../../core/estimator/demand.ts';
import { estimate } from '../../../core/estimator/estimator.ts';
import { addTemplateNode } from '../../../core/nodegroups/node-templates.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../../core/scheduling/scheduler.ts';
import { affinityTerm, type Amounts, node, pod, selector } from '../../builders.ts';
import { templateOf, times } from '../../scenario-builders.ts';

function run(
  pods: readonly Pod[],
  amounts: Amounts,
  limit = Number.POSITIVE_INFINITY,
  stop?: (nodes: number) => boolean,
) {
  const template = templateOf(node('template', amounts));
  const snapshot = clusterSnapshot(NO_OBJECTS, pods);
  const scheduler = createScheduler(snapshot, NO_OBJECTS);
  let made = 0;
  const result = estimate({
    snapshot,
    scheduler,
    loads: loadsIn(decreasing(demandOf(snapshot, pods), template.node.allocatable)),
    ...(stop === undefined ? {} : { stop }),
    offerNode: (use) => {
      if (made === limit) {
        return false;
      }
      snapshot.fork();
      const used = use(addTemplateNode(snapshot, template, `new-${made++}`, []));
      if (used) {
        snapshot.commit();
      } else {
        snapshot.revert();
      }
      return used;
    },
  });
  return {
    nodes: result.nodes.length,
    pods: result.placements.reduce((sum, { count }) => sum + count, 0),
    perNode: result.nodes.map(({ podCount }) => podCount),
    free: result.nodes.map(({ free }) => [...free]),
    left: snapshot.nodeCount,
  };
}

const some = (count: number, requests: Amounts, name = 'p') => times(count, (i) => pod(`${name}-${i}`, { requests }));

describe('estimate', () => {
  test('51 000 pods of two kinds need exactly 2 595 nodes', () => {
    const pods = [...some(50_000, { cpu: '50m', memory: 100 }, 'a'), ...some(1_000, { cpu: '95m', memory: 190 }, 'b')];
    expect(run(pods, { cpu: 1, memory: 5_000, pods: 100 })).toMatchObject({ nodes: 2_595, pods: 51_000 });
  });

  test.each([
    { name: 'nothing to place', pods: [], expected: { nodes: 0, pods: 0 } },
    { name: 'one that fits exactly', pods: some(1, { cpu: 2, memory: 10 }), expected: { nodes: 1, pods: 1 } },
    { name: 'one that is too large', pods: some(1, { cpu: 3 }), expected: { nodes: 0, pods: 0, left: 0 } },
    { name: 'by the pod count', pods: some(7, {}), expected: { nodes: 3, pods: 7, perNode: [3, 3, 1] } },
    { name: 'by memory', pods: some(3, { memory: 6 }), expected: { nodes: 3, pods: 3 } },
    {
      name: 'small ones into the gaps of large ones',
      pods: [...some(2, { cpu: '1500m' }, 'large'), ...some(2, { cpu: '500m' }, 'small')],
      expected: { nodes: 2, pods: 4, perNode: [2, 2] },
    },
    {
      name: 'those that follow one that is too large',
      pods: [...some(1, { cpu: 3 }, 'huge'), ...some(1, { cpu: 1 }, 'fine')],
      expected: { nodes: 1, pods: 1 },
    },
  ])('$name', ({ pods, expected }) => {
    expect(run(pods, { cpu: 2, memory: 10, pods: 3 })).toMatchObject(expected);
  });

  test('gives up at once when it is stopped: what follows is not placed on the nodes so far', () => {
    const pods = [...some(5, { cpu: '1500m' }, 'large'), ...some(5, { cpu: '500m' }, 'small')];
    const all = run(pods, { cpu: 2 });
    expect(all).toMatchObject({ nodes: 5, pods: 10 });
    expect(run(pods, { cpu: 2 }, Number.POSITIVE_INFINITY, (nodes) => nodes === 2)).toMatchObject({
      nodes: 2,
      pods: 2,
    });
  });

  test('stops at the limit, and still fills the nodes there are', () => {
    const pods = [...some(5, { cpu: '1500m' }, 'large'), ...some(5, { cpu: '500m' }, 'small')];
    expect(run(pods, { cpu: 2 }, 2)).toMatchObject({ nodes: 2, pods: 4 });
  });

  test('uses a resource only as far as the node has it', () => {
    expect(run(some(4, { cpu: 1, 'nvidia.com/gpu': 1 }), { cpu: 8, 'nvidia.com/gpu': 2 })).toMatchObject({ nodes: 2 });
    expect(run(some(1, { 'nvidia.com/gpu': 1 }), { cpu: 8 })).toMatchObject({ nodes: 0 });
  });

  test('never overfills a node, leaves none empty and none out that fits an empty one', () => {
    const podArb = fc.record({ cpu: fc.integer({ min: 0, max: 2_500 }), memory: fc.integer({ min: 0, max: 12 }) });
    fc.assert(
      fc.property(fc.array(podArb, { maxLength: 60 }), (given) => {
        const pods = given.map(({ cpu, memory }, i) => pod(`p-${i}`, { requests: { cpu: `${cpu}m`, memory } }));
        const result = run(pods, { cpu: 2, memory: 10, pods: 8 });
        expect(result.pods).toBe(given.filter(({ cpu, memory }) => cpu <= 2_000 && memory <= 10).length);
        expect(result.left).toBe(result.nodes);
        expect(result.perNode.every((count) => count > 0)).toBe(true);
        expect(result.free.flat().every((amount) => amount >= 0)).toBe(true);
      }),
    );
  });
});

describe('pods that keep apart by host', () => {
  const apart = (i: number) =>
    pod(`apart-${i}`, {
      labels: { app: 'db' },
      requests: { cpu: '100m' },
      spec: { podAntiAffinity: [affinityTerm('kubernetes.io/hostname', selector({ app: 'db' }))] },
    });

  test('open the nodes that larger pods then fill', () => {
    const pods = [...some(8, { cpu: '900m' }, 'large'), ...times(4, apart)];
    expect(run(pods, { cpu: 2 })).toMatchObject({ nodes: 4, pods: 12, perNode: [3, 3, 3, 3] });
  });
});
