import { describe, expect, it } from 'vitest';
import { isLeaving, isPassingTaint } from '../../../../core/model/cluster/node-condition.ts';
import type { Taint } from '../../../../core/model/cluster/node.ts';
import {
  candidateSince,
  candidateTaint,
  isBeingRemoved,
  isCandidateTaint,
  removalTaint,
  UNNEEDED_SINCE_ANNOTATION,
  unneededSinceBeside,
} from '../../../../core/model/cluster/removal-taints.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { node } from '../../../builders.ts';

const SINCE = epochMs(1_767_268_800_999);
const OWN = { nodeLifecycleTaints: false };
const SHARED = { nodeLifecycleTaints: true };
const karpenter = (name: string, value: string): Taint => ({
  key: `karpenter.sh/${name}`,
  value,
  effect: 'NoSchedule',
});
const bearing = (...taints: readonly Taint[]) => node('n', {}, { taints });

describe('taints of a removal', () => {
  it.each([
    [removalTaint(OWN, SINCE), 'ToBeDeletedByClusterAutoscaler=1767268800:NoSchedule', true, false],
    [removalTaint(SHARED, SINCE), 'node-lifecycle.kubernetes.io/disruption=disrupting:NoSchedule', true, false],
    [candidateTaint(OWN, SINCE), 'DeletionCandidateOfClusterAutoscaler=1767268800:PreferNoSchedule', false, true],
    [candidateTaint(SHARED, SINCE), 'node-lifecycle.kubernetes.io/disruption=candidate:PreferNoSchedule', false, true],
    [karpenter('disrupted', ''), 'karpenter.sh/disrupted=:NoSchedule', true, false],
    [karpenter('disruption', 'disrupting'), 'karpenter.sh/disruption=disrupting:NoSchedule', true, false],
    [karpenter('unregistered', ''), 'karpenter.sh/unregistered=:NoSchedule', false, false],
    [{ key: 'dedicated', value: 'disrupting', effect: 'NoSchedule' }, 'dedicated=disrupting:NoSchedule', false, false],
  ])('%o are understood, whichever are in use', (taint, written, removed, candidate) => {
    expect(`${taint.key}=${taint.value}:${taint.effect}`).toBe(written);
    expect(isBeingRemoved(bearing(taint))).toBe(removed);
    expect(isLeaving(bearing(taint))).toBe(removed);
    expect(isCandidateTaint(taint)).toBe(candidate);
    expect(isPassingTaint(taint.key)).toBe(removed || candidate);
  });

  it.each([
    ['1767268800', epochMs(1_767_268_800_000)],
    ['', null],
    ['yesterday', null],
    ['99999999999999', null],
  ])('tell since when a node has been unneeded: %j', (value, since) => {
    expect(
      candidateSince(bearing({ key: 'DeletionCandidateOfClusterAutoscaler', value, effect: 'PreferNoSchedule' })),
    ).toBe(since);
  });

  it('do not tell since when, where they are the shared ones: the annotation beside them does', () => {
    const annotations = { [UNNEEDED_SINCE_ANNOTATION]: unneededSinceBeside(candidateTaint(SHARED, SINCE), SINCE)! };
    const shared = bearing(candidateTaint(SHARED, SINCE));
    expect(candidateSince(shared)).toBeNull();
    expect(candidateSince({ ...shared, annotations })).toBe(1_767_268_800_000);
    expect(candidateSince({ ...bearing(), annotations })).toBeNull();
    expect(candidateSince({ ...bearing({ ...candidateTaint(OWN, SINCE), value: '7' }), annotations })).toBe(7_000);
    expect(unneededSinceBeside(candidateTaint(OWN, SINCE), SINCE)).toBeNull();
  });
});
