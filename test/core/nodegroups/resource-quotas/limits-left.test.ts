import { describe, expect, test, vi } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { launchFailureId, type LaunchFailure, type NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import { limitsLeft } from '../../../../core/nodegroups/resource-quotas.ts';
import type { GroupStatus } from '../../../../core/registry/registry.ts';
import { node, pod } from '../../../builders.ts';
import { group, running, scenario, templateOf, times } from '../../../scenario-builders.ts';

const id = launchFailureId(groupName('spot'), 0);
const failure: LaunchFailure = { id, zone: null, class: 'OutOfResources', code: 'NoCapacity', message: 'none left' };
const amounts = { cpu: 4, memory: '16Gi' } as const;

describe('what a target counts until it is lowered', () => {
  const decide = (spot: NodeGroup, options: Partial<Options>, min = 0): Decision =>
    evaluate(
      scenario({
        groups: [spot, group('steady', { node: amounts, min })],
        nodes: ['full-0', 'full-1', ...spot.nodes].map((name) => node(name, { ...amounts, pods: 0 })),
        pods: min > 0 ? [] : times(3, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
        options: { enforceNodeGroupMinSize: min > 0, ...options },
      }),
    );
  const raised = ({ scaleUp, registry }: Decision) => [
    ...scaleUp.increases.map(({ group: name, to }) => [name, to]),
    ...registry.repairs.flatMap((repair) => (repair.kind === 'IncreaseToMin' ? [[repair.group, repair.to]] : [])),
  ];
  const failing = {
    ...group('spot', { node: amounts, target: 1, launchFailures: [failure], max: 1 }),
    launchSuspended: true,
  };
  const replaced = (nodes: readonly string[]): NodeGroup => ({
    ...group('spot', { node: amounts, max: 1, target: 1, nodes }),
    instances: [{ ...running('i-ended', nodes[0] ?? null), state: 'Deleting' }],
    launchSuspended: true,
  });
  const lowered = { ...group('spot', { node: amounts, max: 1, target: 0 }), launchSuspended: true };

  test.each([
    { what: 'a launch has failed, and its repair is decided', spot: failing, to: 1 },
    { what: 'its repair is not made yet', spot: { ...lowered, pendingDecrease: 1 }, to: 1 },
    { what: 'its repair has been made', spot: lowered, to: 2 },
    { what: 'an instance has ended, and none is there in its place', spot: replaced([]), to: 1 },
    { what: 'an instance is ending, and its node is there', spot: replaced(['ending']), to: 1 },
  ])('is not free for others: $what', ({ spot, to }) => {
    for (const options of [
      { maxNodesTotal: 4 },
      { coresTotal: { min: 0, max: 16 } },
      { memoryTotal: { min: 0, max: 64 } },
    ]) {
      expect(raised(decide(spot, options))).toEqual([['steady', to]]);
      expect(raised(decide(spot, options, 3))).toEqual([['steady', to]]);
    }
  });

  test('is counted in one step, however large it is', () => {
    const template = templateOf(node('new', amounts));
    const read = vi.fn(() => template.prices);
    const groups = new Map([[groupName('spot'), { mayCome: 1_000 } as GroupStatus]]);
    const watched = {
      ...template,
      get prices() {
        return read();
      },
    };
    limitsLeft(scenario({}), { groups }, [], new Map([[groupName('spot'), watched]]));
    expect(read.mock.calls.length).toBeLessThan(10);
  });

  test('does not matter where there is room for both', () => {
    expect(raised(decide(failing, { maxNodesTotal: 6 }))).toEqual([['steady', 3]]);
  });
});
