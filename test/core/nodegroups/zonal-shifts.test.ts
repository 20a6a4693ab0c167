import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { ZonalShift } from '../../../core/model/zonal-shift.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, running, scenario, times, zoneLabels } from '../../scenario-builders.ts';
import { ago, clusterOf, type ClusterGiven, goes, replica, stays } from '../scaledown/cluster.ts';

const [A, B, C] = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
const LATER = addTime(NOW, minutes(90));

const awayFrom = (zone: string, more: Partial<ZonalShift> = {}): readonly ZonalShift[] => [
  { zone, until: LATER, launches: false, ...more },
];

/** Memory of equal instances differs by some KiB. */
const MEMORY = { [A]: '16777216Ki', [B]: '16777220Ki', [C]: '16777212Ki' } as const;

/** A group of one zone, of the shift of its cluster. */
const inZone = (zone: keyof typeof MEMORY, shifts: readonly ZonalShift[] | undefined, more = {}): NodeGroup =>
  group(`web-${zone.at(-1)}`, {
    zone,
    node: { cpu: 4, memory: MEMORY[zone] },
    ...(shifts !== undefined && { zonalShifts: shifts }),
    ...more,
  });

const similar = (shifts: readonly ZonalShift[] | undefined) => [A, B, C].map((zone) => inZone(zone, shifts));

/** A group that may launch its next node in any of three zones. */
const spanning = (shifts: readonly ZonalShift[]): NodeGroup => {
  const [first, ...others] = [A, B, C].map((zone) => ({ node: inZone(zone, undefined).template!.node, pods: [] }));
  return { ...group('web', { zonalShifts: shifts }), template: first!, alternatives: others };
};

const pods = times(6, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));

const increases = ({ scaleUp }: Decision) =>
  Object.fromEntries(scaleUp.increases.map(({ group: name, from, to }) => [name, to - from]));

describe('while traffic is shifted away from a zone', () => {
  test('similar groups of other zones get the nodes, evenly, and the reason is typed', () => {
    const decision = evaluate(scenario({ groups: similar(awayFrom(A)), pods }));
    expect(increases(decision)).toEqual({ 'web-b': 3, 'web-c': 3 });
    expect(decision.scaleUp.skippedGroups).toEqual([
      { group: 'web-a', reason: 'ZonalShift', message: A, until: LATER },
    ]);
    expect(decision.registry.groups[groupName('web-a')]!.zonalShifts).toEqual(awayFrom(A));
  });

  test.each([
    ['has not expired', { until: addTime(NOW, minutes(1)) }, false],
    ['has no set end', { until: null }, false],
    ['expires now', { until: NOW }, true],
    ['expired a minute ago', { until: ago(1) }, true],
  ])('a shift that %s', (_, shift, isOver) => {
    const decision = evaluate(scenario({ groups: similar(awayFrom(A, shift)), pods }));
    expect('web-a' in increases(decision)).toBe(isOver);
    expect(decision.registry.groups[groupName('web-a')]!.zonalShifts === undefined).toBe(isOver);
  });

  test('no group is raised to its minimum there', () => {
    const decision = evaluate(
      scenario({ groups: [inZone(A, awayFrom(A), { min: 2 })], options: { enforceNodeGroupMinSize: true } }),
    );
    expect(decision.registry.repairs).toEqual([]);
    expect(decision.scaleUp.skippedGroups).toMatchObject([{ group: 'web-a', reason: 'ZonalShift' }]);
  });

  test('a pod that can run in that zone alone says why it waits', () => {
    const zonal = pod('p', { requests: { cpu: 1 }, spec: { nodeSelector: zoneLabels(A) } });
    const { scaleUp } = evaluate(scenario({ groups: similar(awayFrom(A)), pods: [zonal] }));
    expect(scaleUp.increases).toEqual([]);
    expect(scaleUp.pods[0]!.reasons).toContainEqual({
      group: 'web-a',
      reason: `its zone is shifted away from: ${A}, until 2026-01-01T13:30:00Z`,
    });
  });

  describe('a group of several zones', () => {
    const inA = pod('in-a', { requests: { cpu: 1 }, spec: { nodeSelector: zoneLabels(A) } });
    const anywhere = pod('anywhere', { requests: { cpu: 1 } });

    test('whose launches AWS keeps out of the zone grows in the others', () => {
      const decision = evaluate(scenario({ groups: [spanning(awayFrom(A))], pods: [inA, anywhere] }));
      expect(increases(decision)).toEqual({ web: 1 });
      expect(decision.scaleUp.pods.map(({ pod: key, outcome }) => [key, outcome])).toEqual([
        ['default/anywhere', 'Triggered'],
        ['default/in-a', 'Unschedulable'],
      ]);
    });

    test('whose next instance AWS may launch there is skipped', () => {
      const decision = evaluate(scenario({ groups: [spanning(awayFrom(C, { launches: true }))], pods: [anywhere] }));
      expect(increases(decision)).toEqual({});
      expect(decision.scaleUp.skippedGroups).toMatchObject([
        { reason: 'ZonalShift', message: `its next node may be in ${C}, which AWS does not avoid for it` },
      ]);
    });
  });
});

describe('nodes while traffic is shifted away from a zone', () => {
  const at = (name: string, zone: string, cordoned = false) =>
    node(name, { cpu: 4, memory: '16Gi' }, { labels: zoneLabels(zone), unschedulable: cordoned, createdAt: ago(600) });
  const nodes = ['a1', 'b1'];

  /** EKS cordons the nodes of the zone, and lets their pods run. */
  const given = (shifts: readonly ZonalShift[] | undefined, more: Partial<ClusterGiven> = {}): ClusterGiven => ({
    nodes: [at('a1', A, shifts !== undefined), at('b1', B)],
    group: { nodes, ...(shifts !== undefined && { zonalShifts: shifts }) },
    ...more,
  });
  const decide = (shifts: readonly ZonalShift[] | undefined, more: Partial<ClusterGiven> = {}) =>
    evaluate(clusterOf(given(shifts, more)));

  test('stay in that zone, empty or not, and may go elsewhere', () => {
    expect(goes(decide(undefined))).toEqual(nodes);
    const decision = decide(awayFrom(A));
    expect(goes(decision)).toEqual(['b1']);
    expect(stays(decision)).toEqual({ a1: 'ZonalShift' });
    expect(decision.scaleDown.unremovable[0]!.message).toBe(
      `traffic is shifted away from ${A} until 2026-01-01T13:30:00Z`,
    );
  });

  test('may go once the shift has expired', () => {
    expect(goes(decide(awayFrom(A, { until: NOW })))).toEqual(nodes);
  });

  const old = { startedAt: ago(600), createdAt: ago(600), phase: 'Running' as const };
  /** Pods that use half of each of two nodes: one node is enough. */
  const halves: Partial<ClusterGiven> = {
    pods: nodes.map((name) => ({ ...replica(`p-${name}`, name, { requests: { cpu: '1900m' } }), ...old })),
    options: { consolidation: 'replace', scaleDownUtilizationThreshold: 0.1 },
  };

  test('are not consolidated anywhere', () => {
    expect(goes(decide(undefined, halves))).toHaveLength(1);
    expect(goes(decide(awayFrom(C), halves))).toEqual([]);
    expect(goes(decide(awayFrom(C, { until: NOW }), halves))).toHaveLength(1);
  });

  test.each([
    ['saves costs', 'Underutilized', 'b1'],
    ['is for a drifted node of the zone', 'Drifted', 'a1'],
  ] as const)('have a replacement given up that %s', (_, reason, name) => {
    const disruption = {
      nodes: [nodeName(name)],
      reason,
      replacement: groupName('web'),
      maxCost: 1,
      basis: 'size' as const,
      saving: 0,
      moves: 1,
      since: NOW,
      deadline: epochMs(LATER),
    };
    const drifted = { ...running('i-a1', 'a1'), drifted: 'launch template version 1, not 2' };
    const { scaleDown, state } = decide(awayFrom(A), {
      ...halves,
      group: { nodes, zonalShifts: awayFrom(A), instances: [drifted, running('i-b1', 'b1')] },
      options: { ...halves.options, driftReplacement: 'replace' },
      state: { lastEvaluation: ago(1), disruptions: [disruption] },
    });
    expect(scaleDown.disruptions).toMatchObject([{ state: 'Cancelled', cancelled: 'ZonalShift' }]);
    expect(scaleDown.removals).toEqual([]);
    expect(state.disruptions).toBeUndefined();
  });
});
