import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName, instanceId, nodeName, podKey } from '../../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { printYaml } from '../../../providers/scenario/documents.ts';
import { writeDecision } from '../../../providers/scenario/decision.ts';

const a = groupName('a');
const b = groupName('b');
const noon = epochMs(Date.parse('2026-01-01T12:00:00Z'));

const healthy = {
  backoffUntil: noon,
  incorrectSize: { firstObserved: noon, expected: 10, current: 8 },
  acceptable: { current: 3, max: 5, min: 3 },
  suspended: 0,
  deleted: 0,
  longUnregistered: 0,
  unregistered: 0,
  notStarted: 0,
  unready: 0,
  ready: 3,
  registered: 3,
  target: 5,
  healthy: true,
};

/** Every field in the wrong order. */
const DECISION: Decision = {
  fit: [{ nodes: { [nodeName('n2')]: 'TaintToleration', [nodeName('n1')]: 'ok' }, pod: podKey('default', 'p') }],
  state: EMPTY_STATE,
  registry: {
    repairs: [
      { instance: instanceId('i-1'), group: a, kind: 'DeleteErrored' },
      { to: 3, from: 4, group: a, kind: 'DecreaseTarget' },
    ],
    groups: {
      [b]: healthy,
      [a]: { ...healthy, warnings: ['ZonesRebalanced'], incorrectSize: null, backoffUntil: null },
    },
    clusterHealthy: true,
    totals: {
      suspended: 0,
      deleted: 1,
      longUnregistered: 2,
      unregistered: 3,
      notStarted: 4,
      unready: 5,
      ready: 6,
      registered: 16,
    },
  },
  scaleDown: {
    unremovable: [
      { podReason: 'NotEnoughPdb', pod: podKey('default', 'y'), reason: 'BlockedByPod', node: nodeName('n8') },
      { reason: 'NotUnneededLongEnough', node: nodeName('n9') },
    ],
    removals: [
      {
        destinations: [{ pods: 1, node: nodeName('n1') }],
        pods: [podKey('default', 'x')],
        kind: 'drain',
        group: a,
        node: nodeName('n7'),
      },
    ],
    message: null,
    unneeded: [nodeName('n7')],
    result: 'Planned',
  },
  scaleUp: {
    considered: [
      {
        split: [{ to: 5, from: 3, group: a }],
        why: 'least waste',
        winner: a,
        options: [{ similarGroups: [b], waste: 0.5, pods: 2, nodes: 2, group: a }],
      },
    ],
    plan: { basis: 'price', bound: null, cost: 1.5 },
    skippedGroups: [
      { until: epochMs(Date.UTC(2026, 0, 1, 12)), reason: 'BackedOff', class: 'Quota', group: b },
      { message: 'no cpu', reason: 'Invalid', group: a },
    ],
    upcoming: { [b]: 1, [a]: 2 },
    pods: [
      { group: a, outcome: 'Triggered', pod: podKey('default', 'p') },
      {
        reasons: [{ reason: 'Insufficient cpu', group: a }, { reason: 'too young' }],
        outcome: 'Unschedulable',
        pod: podKey('default', 'q'),
      },
    ],
    increases: [{ to: 5, from: 3, group: a }],
    result: 'ScaledUp',
  },
  name: 'three-zones',
};

describe('a decision', () => {
  it('is written in the documented order, names and times as documented', () => {
    const { state: _, ...written } = writeDecision(DECISION);
    // As text: the order of fields is part of the format.
    expect(printYaml(written)).toMatchInlineSnapshot(`
      "apiVersion: outrigger.dev/v1alpha1
      kind: Decision
      metadata: {name: three-zones}
      scaleUp:
        result: ScaledUp
        increases: [{group: a, from: 3, to: 5}]
        pods:
          - {pod: default/p, outcome: Triggered, group: a}
          - pod: default/q
            outcome: Unschedulable
            reasons: [{group: a, reason: Insufficient cpu}, {reason: too young}]
        upcoming: {a: 2, b: 1}
        skippedGroups:
          - {group: b, reason: BackedOff, class: Quota, until: "2026-01-01T12:00:00Z"}
          - {group: a, reason: Invalid, message: no cpu}
        considered:
          - options: [{group: a, nodes: 2, pods: 2, waste: 0.5, similarGroups: [b]}]
            winner: a
            why: least waste
            split: [{group: a, from: 3, to: 5}]
        plan: {cost: 1.5, bound: null, basis: price}
      scaleDown:
        result: Planned
        unneeded: [n7]
        removals: [{node: n7, group: a, kind: drain, pods: [default/x], destinations: [{node: n1, pods: 1}]}]
        unremovable:
          - {node: n8, reason: BlockedByPod, pod: default/y, podReason: NotEnoughPdb}
          - {node: n9, reason: NotUnneededLongEnough}
      registry:
        clusterHealthy: true
        totals:
          registered: 16
          ready: 6
          unready: 5
          notStarted: 4
          unregistered: 3
          longUnregistered: 2
          deleted: 1
          suspended: 0
        groups:
          a:
            healthy: true
            target: 5
            registered: 3
            ready: 3
            unready: 0
            notStarted: 0
            unregistered: 0
            longUnregistered: 0
            deleted: 0
            suspended: 0
            acceptable: {min: 3, max: 5, current: 3}
            incorrectSize: null
            backoffUntil: null
            warnings: [ZonesRebalanced]
          b:
            healthy: true
            target: 5
            registered: 3
            ready: 3
            unready: 0
            notStarted: 0
            unregistered: 0
            longUnregistered: 0
            deleted: 0
            suspended: 0
            acceptable: {min: 3, max: 5, current: 3}
            incorrectSize: {current: 8, expected: 10, firstObserved: "2026-01-01T12:00:00Z"}
            backoffUntil: "2026-01-01T12:00:00Z"
        repairs: [{kind: DeleteErrored, group: a, instance: i-1}, {kind: DecreaseTarget, group: a, from: 4, to: 3}]
      fit: [{pod: default/p, nodes: {n1: ok, n2: TaintToleration}}]
      "
    `);
  });

  it('holds the state after the registry, and what was asked for in addition after that', () => {
    expect(Object.keys(writeDecision(DECISION))).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'scaleUp',
      'scaleDown',
      'registry',
      'state',
      'fit',
    ]);
    const { fit: _, ...plain } = DECISION;
    expect(Object.keys(writeDecision(plain))).not.toContain('fit');
  });
});
