import { describe, expect, test } from 'vitest';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { ClusterObjects } from '../../../core/model/scenario.ts';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { group, NOW, running } from '../../scenario-builders.ts';
import { ago, type ClusterGiven, decide, goes, workerNode, notReady, replica, stays } from './cluster.ts';

const n1 = nodeName('n1');
const until = (minutes: number): Partial<State> => ({ unremovableUntil: { [n1]: ago(-minutes) } });
const annotated = (key: string, value: string, createdAt: number | null = 60) =>
  workerNode('n1', { annotations: { [key]: value }, createdAt: createdAt === null ? null : ago(createdAt) });
const seconds = (minutesAgo: number): string => String(ago(minutesAgo) / 1_000);
const tainted = (key: string, value: string) => workerNode('n1', { taints: [{ key, value, effect: 'NoSchedule' }] });
const leaving = (node: string): Partial<State> => ({
  deletionsInProgress: [{ node: nodeName(node), group: group('web').name, kind: 'drain', since: ago(1) }],
});

const excluded = (node: string): Partial<ClusterObjects> => ({
  excludedNodes: [
    { node: nodeName(node), reason: 'UnreadablePod', message: 'Pod default/odd: spec: expected an object' },
  ],
});

/** The node in question is `n1`, empty unless pods are given; without a reason to stay it goes. */
type Row = readonly [what: string, given: Partial<ClusterGiven>, outcome: string];
const GOES = 'goes';

const outcomeOf = (given: Partial<ClusterGiven>): string => {
  const decision = decide({ nodes: [workerNode('n1')], ...given });
  return goes(decision).includes('n1') ? GOES : (stays(decision)['n1'] ?? 'not mentioned');
};

test.each([
  ['Updating', 'node group web is being updated, or one of its machines is paused'],
  ['InstanceRefresh', 'an instance refresh is replacing the instances of node group web'],
] as const)('a node that stays for %s says so', (action, message) => {
  const { unremovable } = decide({ nodes: [workerNode('n1')], group: { cloudActions: [action] } }).scaleDown;
  expect(unremovable).toMatchObject([{ node: 'n1', message }]);
});

describe('whether a node is evaluated (scaledown/eligibility, after the candidate processors)', () => {
  test.each<Row>([
    ['an empty node', {}, GOES],
    ['a node that is being drained', { state: leaving('n1') }, 'CurrentlyBeingDeleted'],
    ['a node of no group', { groups: [] }, 'NotAutoscaled'],
    ['a node of a group that is left out', { group: { invalid: 'a tag is malformed' } }, 'UnexpectedError'],
    ['excluded, as something on it cannot be read', { objects: excluded('n1') }, 'Unreadable'],
    ['beside a node that is excluded', { objects: excluded('n2') }, GOES],
    [
      'a group that is not to shrink',
      { group: { options: { scaleDownEnabled: false } } },
      'NodeGroupScaleDownDisabled',
    ],
    ['a group that the cloud updates', { group: { cloudActions: ['Updating'] } }, 'NodeGroupUpdating'],
    ['a group with an instance refresh', { group: { cloudActions: ['InstanceRefresh'] } }, 'NodeGroupUpdating'],
    [
      'a node in whose place another one would be ended',
      { group: { instances: [{ ...running('i-1', 'n1'), stays: 'another goes first' }] } },
      'NodeGroupUpdating',
    ],
    ['a group that is paused', { group: { paused: 'Cluster default/c1 is paused' } }, 'NodeGroupUpdating'],
    ['a group at its minimum', { group: { min: 1 } }, 'NodeGroupMinSizeReached'],
    ['a group below its minimum', { group: { min: 3 } }, 'NodeGroupMinSizeReached'],
    ['found unremovable a while ago', { state: until(1) }, 'RecentlyUnremovable'],
    ['found unremovable long ago', { state: until(0) }, GOES],
    ['a node that is deleted', { nodes: [workerNode('n1', { deletedAt: NOW })] }, 'CurrentlyBeingDeleted'],
    [
      'a node whose instance ends',
      { group: { instances: [{ ...running('i-1', 'n1'), state: 'Deleting' }] } },
      'CurrentlyBeingDeleted',
    ],
    ['not ready', { nodes: [notReady('n1')] }, GOES],
    [
      'not ready, and such nodes are kept',
      { nodes: [notReady('n1')], options: { scaleDownUnreadyEnabled: false } },
      'ScaleDownUnreadyDisabled',
    ],
    ['starting', { nodes: [notReady('n1', { createdAt: ago(1) })] }, 'NotUnneededOtherReason'],
    ['without allocatable resources', { nodes: [{ ...workerNode('n1'), allocatable: {} }] }, 'UnexpectedError'],
    [
      'used',
      { pods: [replica('p', 'n1', { requests: { cpu: '2001m' } })], nodes: [workerNode('n1'), workerNode('n2')] },
      'NotUnderutilized',
    ],
    [
      'used by half',
      {
        pods: [replica('p', 'n1', { requests: { cpu: '2' } }), replica('q', 'n2', { requests: { cpu: '2001m' } })],
        nodes: [workerNode('n1'), workerNode('n2')],
        options: { scaleDownUtilizationThreshold: 0.5 },
      },
      'NoPlaceToMovePods',
    ],
    [
      'used by half, and there is room elsewhere',
      {
        pods: [replica('p', 'n1', { requests: { cpu: '1600m' } }), replica('q', 'n2', { requests: { cpu: '2' } })],
        nodes: [workerNode('n1'), workerNode('n2')],
        options: { scaleDownUtilizationThreshold: 0.4 },
      },
      GOES,
    ],
    [
      'used in full, and the threshold is above that',
      { pods: [replica('p', 'n1', { requests: { cpu: '4' } })], options: { scaleDownUtilizationThreshold: 1.5 } },
      'NoPlaceToMovePods',
    ],
  ])('%s', (_, given, outcome) => {
    expect(outcomeOf(given)).toBe(outcome);
  });

  test.each<Row>([
    [
      'two reasons: the group comes before the memory',
      { group: { min: 1 }, state: until(1) },
      'NodeGroupMinSizeReached',
    ],
    [
      'two reasons: the memory comes before the annotation',
      { nodes: [annotated('cluster-autoscaler.kubernetes.io/scale-down-disabled', 'true')], state: until(1) },
      'RecentlyUnremovable',
    ],
    [
      'two reasons: the annotation comes before readiness',
      {
        nodes: [notReady('n1', { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } })],
        options: { scaleDownUnreadyEnabled: false },
      },
      'ScaleDownDisabledAnnotation',
    ],
  ])('%s', (_, given, outcome) => {
    expect(outcomeOf(given)).toBe(outcome);
  });

  test('a node that Karpenter is removing takes no pods of others, though they tolerate its taint', () => {
    const tolerations = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
    const nodes = (taints: Node['taints']) => [workerNode('n1'), workerNode('n2', { taints })];
    const given = { pods: [replica('p', 'n1', { spec: { tolerations } }), replica('q', 'n2')] };
    const disrupted = [{ key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' }];
    expect(outcomeOf({ ...given, nodes: nodes([]) })).toBe(GOES);
    expect(outcomeOf({ ...given, nodes: nodes(disrupted) })).toBe('NoPlaceToMovePods');
  });

  test.each<readonly [key: string, value: string, createdAgo: number | null, outcome: string]>([
    ['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'true', 60, 'ScaleDownDisabledAnnotation'],
    ['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'false', 60, GOES],
    ['cluster-autoscaler.kubernetes.io/scale-down-disabled', '', 60, GOES],
    ['karpenter.sh/do-not-disrupt', 'true', 60, 'ScaleDownDisabledAnnotation'],
    ['karpenter.sh/do-not-disrupt', 'yes', 60, GOES],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', 'true', 60, 'ScaleDownDisabledAnnotation'],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '2h', 60, 'ScaleDownDisabledAnnotation'],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '1h', 60, GOES],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '2h', null, GOES],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '2562047h', null, GOES],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '2562048h', 60, 'ScaleDownDisabledAnnotation'],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '-2562048h', 60, GOES],
  ])('annotation %s: "%s", of a node %s minutes old', (key, value, createdAgo, outcome) => {
    expect(outcomeOf({ nodes: [annotated(key, value, createdAgo)] })).toBe(outcome);
  });

  test.each<readonly [key: string, value: string, outcome: string]>([
    ['ToBeDeletedByClusterAutoscaler', seconds(1), 'CurrentlyBeingDeleted'],
    ['ToBeDeletedByClusterAutoscaler', seconds(4.9), 'CurrentlyBeingDeleted'],
    ['ToBeDeletedByClusterAutoscaler', seconds(5), GOES],
    ['ToBeDeletedByClusterAutoscaler', '', 'CurrentlyBeingDeleted'],
    ['karpenter.sh/disrupted', '', 'CurrentlyBeingDeleted'],
    ['karpenter.sh/disruption', 'disrupting', 'CurrentlyBeingDeleted'],
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting', 'CurrentlyBeingDeleted'],
    ['node-lifecycle.kubernetes.io/disruption', 'candidate', GOES],
    ['example.com/other', 'x', GOES],
  ])('taint %s=%s', (key, value, outcome) => {
    expect(outcomeOf({ nodes: [tainted(key, value)] })).toBe(outcome);
  });

  test.each<readonly [what: string, cluster: boolean, ofGroup: boolean | undefined, result: string, outcome: string]>([
    ['on', true, undefined, 'Planned', GOES],
    ['off for the group', true, false, 'Nothing', 'NodeGroupScaleDownDisabled'],
    ['off', false, undefined, 'Disabled', 'not mentioned'],
    ['off, and on for the group: off is off', false, true, 'Disabled', 'not mentioned'],
  ])('scaleDownEnabled is %s', (_, cluster, ofGroup, result, outcome) => {
    const given = {
      nodes: [workerNode('n1')],
      group: { options: ofGroup === undefined ? {} : { scaleDownEnabled: ofGroup } },
      options: { scaleDownEnabled: cluster },
    };
    expect(decide(given).scaleDown.result).toBe(result);
    expect(outcomeOf(given)).toBe(outcome);
  });
});

test('an unhealthy cluster is left alone, and its clocks start anew', () => {
  const nodes = Array.from({ length: 10 }, (_, i) => (i < 5 ? notReady(`n${i}`) : workerNode(`n${i}`)));
  const { scaleDown, registry, state } = decide({ nodes, state: { unneededSince: { [n1]: ago(30) } } });
  expect(registry.clusterHealthy).toBe(false);
  expect(scaleDown).toEqual({ result: 'ClusterUnhealthy', unneeded: [], removals: [], unremovable: [], message: null });
  expect(state.unneededSince).toEqual(EMPTY_STATE.unneededSince);
});
