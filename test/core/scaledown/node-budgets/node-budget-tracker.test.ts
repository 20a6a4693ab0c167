import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { nodeBudgetsIn } from '../../../../core/scaledown/node-budgets/node-budget-tracker.ts';
import { unreadableNodeBudget } from '../../../../core/model/node-budget.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { buildRegistry } from '../../../../core/registry/registry.ts';
import { group, running, times } from '../../../scenario-builders.ts';
import {
  ago,
  AT_ONCE,
  clusterOf,
  type ClusterGiven,
  decide,
  goes,
  notReady,
  replica,
  stays,
  workerNode,
} from '../cluster.ts';
import { budgets } from './given.ts';

const names = (count: number): readonly string[] => times(count, (i) => `n${i}`);

/** Nodes of a group `web`, all of them unneeded. */
function cluster(count: number, text: string, more: Partial<ClusterGiven> = {}): ClusterGiven {
  return {
    nodes: names(count).map((name) => workerNode(name)),
    options: { ...AT_ONCE, disruptionBudgets: budgets(text) },
    ...more,
  };
}

const messageOf = (given: ClusterGiven, node: string): string | undefined =>
  evaluate(clusterOf(given)).scaleDown.unremovable.find((one) => one.node === node)?.message;

describe('scale-down keeps to disruption budgets', () => {
  test.each([
    ['2', 6, 2],
    ['50%', 5, 3],
    ['0', 5, 0],
    ['1 of empty', 5, 1],
    ['1 of underutilized', 5, 5],
    ['0 from 0 11 * * * for 2h', 5, 0],
    ['0 from 0 13 * * * for 2h', 5, 5],
  ])('%j: of %i empty nodes %i go', (text, count, go) => {
    const decision = decide(cluster(count, text));
    expect(goes(decision)).toHaveLength(go);
    expect(Object.values(stays(decision))).toEqual(times(count - go, () => 'DisruptionBudgetReached'));
  });

  test('those of the cluster and those of a group are both reported', () => {
    const groups = [group('web', { nodes: names(3), options: { disruptionBudgets: budgets('1') } })];
    expect(decide(cluster(3, '2', { groups })).scaleDown.budgets).toMatchObject([
      { group: null, nodes: 2, total: 3 },
      { group: 'web', nodes: 1, total: 3 },
    ]);
  });

  test('those of the cluster are for all groups together, those of a group for its own', () => {
    const groups = (own: NodeGroup['options']): readonly NodeGroup[] => [
      group('a', { nodes: ['n0', 'n1', 'n2'], options: own }),
      group('b', { nodes: ['n3', 'n4', 'n5'] }),
    ];
    expect(goes(decide(cluster(6, '3', { groups: groups({}) })))).toHaveLength(3);
    expect(goes(decide(cluster(6, '5', { groups: groups({ disruptionBudgets: budgets('1') }) })))).toEqual([
      'n0',
      'n3',
      'n4',
      'n5',
    ]);
    // A group cannot lift what holds for the cluster.
    expect(goes(decide(cluster(6, '0', { groups: groups({ disruptionBudgets: budgets('100%') }) })))).toEqual([]);
  });

  test('a node that is drained for pods is underutilized', () => {
    const nodes = ['n0', 'n1', 'busy'].map((name) => workerNode(name));
    const pods = [replica('p', 'n0'), replica('q', 'busy', { requests: { cpu: '3' } })];
    const given = (text: string) => decide(cluster(0, text, { nodes, pods }));
    expect(goes(given('100%'))).toEqual(['n0', 'n1']);
    expect(goes(given('0 of empty'))).toEqual(['n0']);
    expect(goes(given('0 of underutilized'))).toEqual(['n1']);
  });

  test('nodes that leave already count, until their instances end', () => {
    const state = {
      deletionsInProgress: [{ node: nodeName('n0'), group: groupName('web'), kind: 'drain' as const, since: ago(1) }],
    };
    expect(goes(decide(cluster(4, '2', { state })))).toEqual(['n1']);
    const instances = names(4).map((name, i) => ({
      ...running(`i-${i}`, name),
      state: i === 0 ? ('Deleting' as const) : ('Running' as const),
    }));
    expect(goes(decide(cluster(4, '2', { state, group: { instances, target: 3 } })))).toEqual(['n1', 'n2']);
  });

  test('nodes that are not ready count, and go themselves within the budget', () => {
    const nodes = [
      notReady('n0'),
      ...names(4)
        .slice(1)
        .map((name) => workerNode(name)),
    ];
    expect(goes(decide(cluster(4, '1', { nodes })))).toEqual(['n0']);
    expect(goes(decide(cluster(4, '2', { nodes })))).toHaveLength(2);
    const two = [notReady('n0'), notReady('n1'), workerNode('n2'), workerNode('n3'), workerNode('n4')];
    expect(goes(decide(cluster(5, '1', { nodes: two })))).toEqual([]);
  });

  test('new nodes that are still starting make no percentage larger', () => {
    const young = names(10).map((name, i) => (i < 5 ? workerNode(name) : notReady(name, { createdAt: ago(1) })));
    const options = { ...AT_ONCE, disruptionBudgets: budgets('20%') };
    const busy = names(10)
      .slice(0, 5)
      .map((name, i) => (i === 0 ? null : replica(`p${i}`, name, { requests: { cpu: '3' } })));
    const decision = decide({ nodes: young, options, pods: busy.flatMap((one) => one ?? []) });
    expect(goes(decision).length).toBeLessThanOrEqual(1);
  });

  test('a group that goes as a whole needs the budget for all of its nodes', () => {
    const whole = { options: { zeroOrMaxNodeScaling: true }, max: 3 };
    expect(goes(decide(cluster(3, '3', { group: whole })))).toHaveLength(3);
    const decision = decide(cluster(3, '2', { group: whole }));
    expect(goes(decision)).toEqual([]);
    expect(messageOf(cluster(3, '2', { group: whole }), 'n0')).toBe(
      'the disruption budget "2" of the cluster allows 2 of 3 nodes to be unavailable: 0 are, and 3 would have to be removed together',
    );
  });

  test('a node is told which budget keeps it, and until when', () => {
    expect(messageOf(cluster(2, '0 from 0 11 * * * for 2h in Europe/London'), 'n0')).toBe(
      'the disruption budget "0 from 0 11 * * * for 2h in Europe/London" of the cluster allows no node to be removed until 2026-01-01 13:00 Europe/London',
    );
    const own = { options: { disruptionBudgets: budgets('10%') } };
    expect(messageOf({ nodes: names(20).map((name) => workerNode(name)), group: { ...own, max: 30 } }, 'n9')).toBe(
      'the disruption budget "10%" of node group web allows 2 of 20 nodes to be unavailable: 2 are',
    );
  });

  describe('a node that a budget of 0 keeps leaves the places for its pods to nodes that may go', () => {
    /** A node each of the groups `frozen`, unneeded for longer, and `free`, with a pod of one CPU. */
    const pair = (text: string, more: Partial<ClusterGiven> = {}): ClusterGiven => ({
      nodes: ['a-frozen', 'b-free', 'busy'].map((name) => workerNode(name)),
      groups: [
        group('frozen', { nodes: ['a-frozen'], options: { disruptionBudgets: budgets(text) } }),
        group('free', { nodes: ['b-free', 'busy'] }),
      ],
      pods: [
        replica('kept', 'a-frozen', { requests: { cpu: '1' } }),
        replica('moved', 'b-free', { requests: { cpu: '1' } }),
        replica('large', 'busy', { requests: { cpu: '3' } }),
      ],
      state: { unneededSince: { [nodeName('a-frozen')]: ago(20), [nodeName('b-free')]: ago(15) } },
      ...more,
    });

    test('on nodes that stay', () => {
      const decision = decide(pair('0'));
      expect([goes(decision), stays(decision)]).toEqual([
        ['b-free'],
        { 'a-frozen': 'NoPlaceToMovePods', busy: 'NotUnderutilized' },
      ]);
    });

    test('and its own', () => {
      const full = replica('large', 'busy', { requests: { cpu: '4' } });
      const given = pair('0');
      const decision = decide({ ...given, pods: [...given.pods!.slice(0, 2), full] });
      expect(goes(decision)).toEqual(['b-free']);
      expect(decision.scaleDown.removals[0]!.destinations).toEqual([{ node: 'a-frozen', pods: 1 }]);
    });

    test('where it has no pods, too, if it is empty nodes that are kept', () => {
      const given = pair('0 of empty');
      const [, moved] = given.pods!;
      const decision = decide({ ...given, pods: [moved!, replica('large', 'busy', { requests: { cpu: '4' } })] });
      expect(goes(decision)).toEqual(['b-free']);
    });

    test.each(['0 of drifted', '1', '0 from 0 13 * * * for 2h'])(
      'and goes before them where the budget lets it go, as with %j',
      (text) => {
        const decision = decide(pair(text));
        expect([goes(decision), stays(decision)]).toEqual([
          ['a-frozen'],
          { 'b-free': 'NoPlaceToMovePods', busy: 'NotUnderutilized' },
        ]);
      },
    );
  });

  test('of budgets that cannot be read nothing goes, and every node says so', () => {
    const own = { options: { disruptionBudgets: [unreadableNodeBudget('expected 10%, found "many"')] } };
    const given = { nodes: names(2).map((name) => workerNode(name)), group: own };
    expect(stays(decide(given))).toEqual({ n0: 'DisruptionBudgetUnreadable', n1: 'DisruptionBudgetUnreadable' });
    expect(messageOf(given, 'n0')).toBe(
      'the disruption budgets of node group web cannot be read, so no node is removed: expected 10%, found "many"',
    );
  });
});

describe('an allowance', () => {
  const allowance = (text: string, waiting: readonly string[] = [], more: Partial<ClusterGiven> = {}) => {
    const scenario = clusterOf(cluster(10, text, more));
    return nodeBudgetsIn(scenario, buildRegistry(scenario), new Set(waiting.map(nodeName)));
  };
  const going = (...list: readonly string[]) => list.map((name) => ({ node: nodeName(name), group: groupName('web') }));

  test('is used up by what is taken, not by what is asked', () => {
    const { blockedBy, take } = allowance('3');
    expect(blockedBy(going('n0', 'n1', 'n2'), 'Drifted')).toBeNull();
    expect(blockedBy(going('n0', 'n1', 'n2', 'n3'), 'Drifted')).toMatchObject({ zero: false });
    expect(take(going('n0', 'n1'), 'Drifted')).toBeNull();
    expect(take(going('n2', 'n3'), 'Expired')).toMatchObject({ reason: 'DisruptionBudgetReached', zero: false });
    expect(take(going('n2'), 'Expired')).toBeNull();
    expect(take(going('n4'), 'Empty')).not.toBeNull();
  });

  test('counts the nodes of commands that wait, whose own removal needs no more', () => {
    const { take } = allowance('2', ['n0', 'n1']);
    expect(take(going('n2'), 'Empty')).toMatchObject({ zero: false });
    expect(take(going('n0', 'n1'), 'Drifted')).toBeNull();
  });

  test('counts them while they are not ready, however young they are', () => {
    const nodes = names(10).map((name) => (name === 'n0' ? notReady(name, { createdAt: ago(5) }) : workerNode(name)));
    expect(allowance('1', [], { nodes }).take(going('n1'), 'Drifted')).toBeNull();
    expect(allowance('1', ['n0'], { nodes }).take(going('n1'), 'Drifted')).toMatchObject({ zero: false });
  });

  test('of zero keeps nodes that are away already too', () => {
    const { take } = allowance('0 of drifted', ['n0']);
    expect(take(going('n0'), 'Drifted')).toMatchObject({ zero: true });
    expect(take(going('n0'), 'Expired')).toBeNull();
  });
});

describe('a budget that allows no node now', () => {
  const opensWithin = (text: string, seconds: number): boolean => {
    const given = clusterOf(cluster(3, text));
    const nodes = [{ node: nodeName('n0'), group: groupName('web') }];
    const deadline = epochMs(given.now + seconds * 1_000);
    return nodeBudgetsIn(given, buildRegistry(given)).opensBy(nodes, 'Drifted', deadline);
  };

  test.each([
    ['0 from 59 11 * * * for 2m', 60, true],
    ['0 from 59 11 * * * for 2m', 59, false],
    ['0 from 59 11 * * * for 3m', 60, false],
    ['0 from 59 11 * * * for 3m', 120, true],
    ['0', 86_400, false],
  ])('%j, at noon, opens within %i s: %s', (text, seconds, expected) => {
    expect(opensWithin(text, seconds)).toBe(expected);
  });
});
