import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const pods = (name: string, count: number, cpu: number): readonly Pod[] =>
  times(count, (i) => pod(`${name}-${i}`, { requests: { cpu }, owner: `ReplicaSet/${name}` }));

const size = (groups: readonly NodeGroup[]): number => groups.reduce((sum, { targetSize }) => sum + targetSize, 0);

/** The groups after evaluations that each see some more of the pods, while no node of those that are bought is there yet. */
function grown(
  groups: readonly NodeGroup[],
  waves: readonly (readonly Pod[])[],
  options: Partial<Options> = {},
): Scenario {
  let current = scenario({ groups, options });
  for (const wave of waves) {
    const input = { ...current, objects: { ...current.objects, pods: [...current.objects.pods, ...wave] } };
    const { scaleUp, state } = evaluate(input);
    const to = new Map(scaleUp.increases.map((increase) => [increase.group, increase.to]));
    current = {
      ...input,
      state,
      nodeGroups: input.nodeGroups.map((one) => ({ ...one, targetSize: to.get(one.name) ?? one.targetSize })),
    };
  }
  return current;
}

const GROUP = group('g', { max: 100, node: { cpu: 3, memory: '16Gi', pods: 50 } });

describe('nodes were bought for small pods before the large ones were known', () => {
  const small = pods('small', 6, 1);
  const large = pods('large', 4, 2);

  test('the large ones take their places, and new nodes are filled with what is left', () => {
    // Kept on the two nodes that are bought, the small ones would leave each large one a node of its own: 6 in all.
    expect(size(grown([GROUP], [small, large]).nodeGroups)).toBe(5);
  });

  test('the next evaluation finds all places again', () => {
    const first = grown([GROUP], [small, large]);
    const { scaleUp, state } = evaluate(first);
    expect(scaleUp.result).toBe('NotNeeded');
    expect(state.reservations).toEqual(first.state.reservations);
  });

  test('no pod loses its place where no new node may come for it, however much cheaper that were', () => {
    const full = group('full', { max: 2, node: { cpu: 3, memory: '16Gi', pods: 50 }, labels: { pool: 'full' } });
    const bound = small.map((one) => ({ ...one, spec: { ...one.spec, nodeSelector: { pool: 'full' } } }));
    const { nodeGroups } = grown([full, GROUP], [bound, large]);
    expect(nodeGroups.map(({ targetSize }) => targetSize)).toEqual([2, 4]);
  });
});

test('in whatever order pods come, hardly more nodes are bought than for all of them at once', () => {
  const random = randomFrom(3);
  const drawn = times(150, (i) => {
    const cpu = random() < 0.2 ? 2 : 0.2 + random();
    return pod(`p-${String(i).padStart(3, '0')}`, { requests: { cpu: `${Math.round(cpu * 10) * 100}m` } });
  });
  const cpuOf = ({ spec }: Pod): number => spec.containers[0]!.requests['cpu'] ?? 0;
  const orders = {
    largestLast: drawn.toSorted((a, b) => cpuOf(a) - cpuOf(b)),
    largestFirst: drawn.toSorted((a, b) => cpuOf(b) - cpuOf(a)),
    asDrawn: drawn,
  };
  const atOnce = size(grown([GROUP], [drawn]).nodeGroups);
  const waves = (order: readonly Pod[]) => times(6, (i) => order.slice(i * 25, (i + 1) * 25));
  const sizes = Object.values(orders).map((order) => size(grown([GROUP], waves(order)).nodeGroups));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(atOnce + 1);
});
