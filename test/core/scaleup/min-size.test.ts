import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import type { State } from '../../../core/model/state.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, running, scenario, times } from '../../scenario-builders.ts';

const waiting = times(3, (i) => pod(`p${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/p' }));

describe('the minimum of a group', () => {
  const options = { enforceNodeGroupMinSize: true };

  test.each([
    { name: 'is enforced when asked for', given: { min: 2, target: 0 }, options, expected: [[0, 2]] },
    { name: 'is left alone otherwise', given: { min: 2, target: 0 }, options: {}, expected: [] },
    { name: 'is kept', given: { min: 2, target: 2 }, options, expected: [] },
    { name: 'is no business of an invalid group', given: { min: 2, target: 0, invalid: 'x' }, options, expected: [] },
    {
      name: 'waits while the group is backed off',
      given: { min: 2, target: 0 },
      options,
      state: {
        backoff: { a: { until: epochMs(NOW + 1), duration: 1 as never, lastFailure: NOW, class: 'Other' as const } },
      },
      expected: [],
    },
  ])('$name', ({ given, options: chosen, state, expected }) => {
    const decision = evaluate(scenario({ groups: [group('a', given)], options: chosen, state: state ?? {} }));
    expect(decision.registry.repairs).toEqual(
      expected.map(([from, to]) => ({ kind: 'IncreaseToMin', group: 'a', from, to })),
    );
    expect(decision.state.scaleUpRequests.map(({ increase }) => increase)).toEqual(
      expected.map(([from, to]) => to! - from!),
    );
  });

  test('is not enforced in an unhealthy cluster', () => {
    const unready = [{ type: 'Ready', status: 'False' as const, reason: 'KubeletNotReady', since: null }];
    const names = times(9, (i) => `n${i}`);
    const broken = group('broken', {
      target: 9,
      nodes: names,
      instances: names.map((name) => running(`i-${name}`, name)),
    });
    const nodes = names.map((name) => node(name, { cpu: 4, memory: '16Gi' }, { conditions: unready }));
    const decision = evaluate(scenario({ groups: [group('a', { min: 2, target: 0 }), broken], nodes, options }));
    expect([decision.registry.clusterHealthy, decision.registry.repairs]).toEqual([false, []]);
  });

  test.each([
    ['maxNodesTotal', { maxNodesTotal: 5 }, { a: 3, b: 1 }, { b: 'maxNodesTotal: 1 of at least 2 nodes' }],
    ['coresTotal', { coresTotal: { min: 0, max: 19 } }, { a: 3 }, { b: 'coresTotal: 0 of at least 2 nodes' }],
    [
      'memoryTotal',
      { memoryTotal: { min: 0, max: 40 } },
      { a: 1 },
      { a: 'memoryTotal: 1 of at least 3 nodes', b: 'memoryTotal: 0 of at least 2 nodes' },
    ],
    ['enough of everything', { maxNodesTotal: 6 }, { a: 3, b: 2 }, {}],
  ])('is not reached past %s', (_, limits, raised, skipped) => {
    const { registry, scaleUp, state } = evaluate(
      scenario({
        groups: [group('a', { min: 3, target: 0 }), group('b', { min: 2, target: 0 })],
        nodes: [node('lone', { cpu: 4, memory: '16Gi' })],
        options: { ...options, ...limits },
      }),
    );
    expect(Object.fromEntries(registry.repairs.map((repair) => [repair.group, 'to' in repair && repair.to]))).toEqual(
      raised,
    );
    expect(Object.fromEntries(state.scaleUpRequests.map(({ group: name, increase }) => [name, increase]))).toEqual(
      raised,
    );
    expect(scaleUp.skippedGroups).toEqual(
      Object.entries(skipped).map(([name, message]) => ({ group: name, reason: 'ResourceLimitExceeded', message })),
    );
  });

  test('comes after what pods need: both together keep the limit', () => {
    const { scaleUp, registry } = evaluate(
      scenario({
        groups: [group('a', { min: 4, target: 0 }), group('b', { min: 1, target: 0, node: { cpu: 1, memory: '1Gi' } })],
        pods: waiting,
        options: { ...options, maxNodesTotal: 4 },
      }),
    );
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 3 }]);
    expect(registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'a', from: 3, to: 4 }]);
    expect(scaleUp.skippedGroups).toEqual([
      { group: 'b', reason: 'ResourceLimitExceeded', message: 'maxNodesTotal: 0 of at least 1 nodes' },
    ]);
  });

  test('is not enforced on a group whose nodes are unknown', () => {
    const { scaleUp, registry } = evaluate(
      scenario({ groups: [group('a', { min: 2, target: 0, template: null })], options }),
    );
    expect(registry.repairs).toEqual([]);
    expect(scaleUp.skippedGroups).toMatchObject([{ group: 'a', reason: 'NoTemplate' }]);
  });

  test('counts what pods have asked for', () => {
    const { scaleUp, registry } = evaluate(
      scenario({ groups: [group('a', { min: 4, target: 0 })], pods: waiting, options }),
    );
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 3 }]);
    expect(registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'a', from: 3, to: 4 }]);
  });
});

describe('the minimum of a group that is all or nothing', () => {
  const whole = group('a', { min: 1, max: 3, target: 0, options: { zeroOrMaxNodeScaling: true } });
  const options = { enforceNodeGroupMinSize: true };
  const toMin = (groups: readonly NodeGroup[], more: Partial<Options>, state: Partial<State> = {}) => {
    const { registry, scaleUp } = evaluate(scenario({ groups, options: { ...options, ...more }, state }));
    return { raised: registry.repairs, skipped: scaleUp.skippedGroups };
  };
  const increase = (name: string, from: number, to: number) => ({ kind: 'IncreaseToMin', group: name, from, to });
  const exceeded = (name: string, message: string) => ({ group: name, reason: 'ResourceLimitExceeded', message });

  test('is its maximum', () => {
    expect(toMin([whole], {})).toEqual({ raised: [increase('a', 0, 3)], skipped: [] });
    expect(toMin([{ ...whole, minSize: 0 }], {})).toEqual({ raised: [], skipped: [] });
  });

  test('is not reached in part: what the limits leave is for other groups', () => {
    expect(toMin([whole, group('b', { min: 1, target: 0 })], { maxNodesTotal: 2 })).toEqual({
      raised: [increase('b', 0, 1)],
      skipped: [exceeded('a', 'maxNodesTotal, as all 3 nodes come or none')],
    });
  });

  test('counts for the limits of the groups that come after it', () => {
    expect(toMin([whole, group('b', { min: 2, target: 0 })], { maxNodesTotal: 4 })).toEqual({
      raised: [increase('a', 0, 3), increase('b', 0, 1)],
      skipped: [exceeded('b', 'maxNodesTotal: 1 of at least 2 nodes')],
    });
  });

  test('is that of a capacity schedule, too', () => {
    const capacitySchedules = [
      { least: { nodes: 1 }, schedule: { cron: '* * * * *', duration: minutes(5), timeZone: 'UTC' } },
    ];
    const groups = [{ ...whole, minSize: 0 }];
    const scheduled = { enforceNodeGroupMinSize: false, capacitySchedules };
    expect(toMin(groups, scheduled)).toEqual({ raised: [increase('a', 0, 3)], skipped: [] });
    expect(toMin(groups, { ...scheduled, maxNodesTotal: 2 })).toEqual({
      raised: [],
      skipped: [exceeded('a', 'maxNodesTotal, as all 3 nodes come or none')],
    });
  });

  test('waits until the nodes have gone of which the target still speaks', () => {
    const state = {
      deletionsInProgress: [{ node: nodeName('n'), group: groupName('a'), kind: 'empty' as const, since: NOW }],
    };
    const leaving = (of: 'Running' | 'Deleting'): readonly NodeGroup[] => [
      {
        ...whole,
        minSize: 2,
        targetSize: of === 'Deleting' ? 0 : 1,
        nodes: [nodeName('n')],
        instances: [{ ...running('i-n', 'n'), state: of }],
      },
    ];
    expect(toMin(leaving('Running'), {}, state)).toEqual({
      raised: [],
      skipped: [{ group: 'a', reason: 'BeingRemoved' }],
    });
    expect(toMin(leaving('Deleting'), {}, state).raised).toEqual([increase('a', 0, 3)]);
  });
});
