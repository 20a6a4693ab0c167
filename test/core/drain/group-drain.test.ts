import { describe, expect, it, test } from 'vitest';
import {
  needsOtherDrains,
  blockerOfGroupDrain,
  otherDrainsOf,
  waitsForOtherDrains,
  wasOutsideGroup,
} from '../../../core/drain/group-drain.ts';
import { newDrain } from '../../../core/drain/new-drain.ts';
import type { Drain, DrainFailure, DrainPhase, StoredDrain } from '../../../core/model/drain.ts';
import { instanceId, nodeName } from '../../../core/model/values/names.ts';
import { after, aDrain, GROUP, inPhase, oneNodeWorld, type OneNodeWorld, step, webPod } from './one-node-world.ts';

/** A drain of the node of this name, decided with the one of `aDrain`. */
const other = (name: string, phase: DrainPhase, failure?: DrainFailure): Drain => ({
  ...newDrain(
    { id: '7-web', group: GROUP },
    { node: nodeName(name), uid: `uid-${name}`, instance: instanceId(`i-${name}`), kind: 'drain', together: 3 },
    after(0),
  ),
  phase,
  outcome:
    failure === undefined ? null : { kind: 'rolledBack', at: after(0), failure, blocker: null, message: '', pod: null },
});
const asStored = (drain: Drain): StoredDrain => ({ drain, revision: 1, attempt: 1, drivenUntil: after(60) });

/** Takes one step of a drain whose group of three nodes goes together. */
function stepIn(phase: DrainPhase, others: readonly Drain[] | null, time = 10, together = 3, returned = ['n9']) {
  const world = oneNodeWorld();
  const drain = inPhase(phase, world, { together });
  const asked: OneNodeWorld = {
    ...world,
    observe: (results) => ({
      ...world.observe(results),
      ...(others !== null && { others, returned: returned.map(nodeName) }),
    }),
  };
  return step(drain, asked, time);
}

describe('nodes that go together', () => {
  it.each<[string, readonly Drain[] | null, string]>([
    ['are drained one after the other', [other('n2', 'Evicting'), other('n3', 'Removed')], 'DeletionDelay'],
    ['are not yet marked', [other('n2', 'Tainting'), other('n3', 'DeletionDelay')], 'DeletionDelay'],
    ['have no drain yet', [other('n2', 'DeletionDelay')], 'DeletionDelay'],
    ['were not asked about', null, 'DeletionDelay'],
    ['are all drained', [other('n2', 'DeletionDelay'), other('n3', 'Terminating')], 'Terminating'],
    ['have gone by themselves', [other('n2', 'RolledBack', 'Gone'), other('n3', 'DeletionDelay')], 'Terminating'],
    ['stay', [other('n2', 'RollingBack', 'FailedToEvictPods'), other('n3', 'DeletionDelay')], 'RollingBack'],
    ['were freed again', [other('n2', 'RolledBack', 'NoLongerRemovable')], 'RollingBack'],
  ])('end once all are drained: where the others %s', (_, others, phase) => {
    expect(stepIn('DeletionDelay', others).drain.phase).toBe(phase);
  });

  test('are not drained where another one stays', () => {
    const { drain } = stepIn('Validating', [other('n2', 'RolledBack', 'FailedToMarkToBeDeleted')]);
    expect(drain.outcome).toMatchObject({ failure: 'NoLongerRemovable', blocker: 'PartStays' });
    expect(drain.outcome).toHaveProperty('message', 'node n2 of its group is kept, and they are removed together');
  });

  test.each<[string, readonly Drain[], string]>([
    ['are all drained', [other('n2', 'AwaitingTermination'), other('n3', 'Terminating')], 'Terminating'],
    ['have been forgotten', [], 'Terminating'],
    ['have gone by themselves', [other('n2', 'RolledBack', 'Gone')], 'Terminating'],
    ['stay after all', [other('n2', 'RollingBack', 'NoLongerRemovable')], 'RollingBack'],
  ])('are asked about again just before the instance is ended: where the others %s', (_, others, phase) => {
    const { drain } = stepIn('Terminating', others);
    expect([drain.phase, drain.terminateAskedAt !== null]).toEqual([phase, phase === 'Terminating']);
  });

  test.each<[DrainPhase]>([['DeletionDelay'], ['Terminating']])(
    'stay where the instance of one that had gone is in the group again (%s)',
    (phase) => {
      const others = [other('n2', 'RolledBack', 'Gone'), other('n3', 'DeletionDelay')];
      expect(stepIn(phase, others, 10, 3, ['n2']).drain.outcome).toMatchObject({ blocker: 'PartStays' });
      expect(stepIn(phase, others, 10, 3, ['n3']).drain.outcome).toBe(null);
    },
  );

  test('were outside their group where that was why their drain was given up', () => {
    const given = (blocker: 'InstanceNotInGroup' | 'NodeGone'): Drain => {
      const one = other('n2', 'RolledBack', 'Gone');
      return { ...one, outcome: { ...one.outcome!, blocker } as Drain['outcome'] };
    };
    expect(wasOutsideGroup(given('InstanceNotInGroup'))).toBe(true);
    expect(wasOutsideGroup(given('NodeGone'))).toBe(false);
    expect(wasOutsideGroup(other('n2', 'Removed'))).toBe(false);
  });

  test('are asked about again where it is not known whether the instance was ended', () => {
    const world = oneNodeWorld();
    const given = (others: readonly Drain[]): OneNodeWorld => ({
      ...world,
      observe: (results) => ({ ...world.observe(results), others }),
    });
    const drain = inPhase('Terminating', world, { together: 3, terminateAskedAt: after(0) });
    expect(needsOtherDrains(drain)).toBe(true);
    expect(step(drain, given([other('n2', 'Terminating')]), 90).drain.terminateAskedAt).toEqual(after(90));
    const stays = given([other('n2', 'RolledBack', 'NoLongerRemovable')]);
    expect(step(drain, stays, 50).drain.phase).toBe('Terminating');
    expect(step(drain, stays, 90).drain.phase).toBe('RollingBack');
  });

  test.each<[DrainPhase, number, boolean]>([
    ['Validating', 3, true],
    ['Evicting', 3, false],
    ['Terminating', 3, true],
    ['Terminating', 1, false],
  ])('%s of %d asks: %s', (phase, together, asks) => {
    expect(needsOtherDrains(aDrain('drain', { phase, together }))).toBe(asks);
  });

  test('stay where one of them has no drain long after the decision', () => {
    const late = stepIn('DeletionDelay', [other('n2', 'DeletionDelay')], 301);
    expect(late.drain.outcome).toMatchObject({ blocker: 'PartStays', message: 'another node of its group is kept' });
  });

  test('say what they wait for', () => {
    const { drain } = stepIn('DeletionDelay', [other('n2', 'DeletionDelay'), other('n3', 'Evicting')]);
    expect(drain.waitingFor).toBe('2 of 3 nodes of its all-or-nothing group are drained');
  });

  test('have each their pods evicted meanwhile', () => {
    const world = oneNodeWorld([webPod('web-1')]);
    const drain = inPhase('Evicting', world, { together: 3 });
    expect(step(drain, world, 0).does).toEqual(['evict web-1']);
  });
});

test('a node that goes by itself asks about no other', () => {
  const stuck = [other('n2', 'RollingBack', 'FailedToEvictPods')];
  expect(stepIn('DeletionDelay', stuck, 10, 1).drain.phase).toBe('Terminating');
  expect(stepIn('Terminating', stuck, 10, 1).drain.phase).toBe('Terminating');
  const { together: _, ...alone } = aDrain('drain', { together: 1 });
  const facts = { others: stuck, now: after(0) } as unknown as Parameters<typeof blockerOfGroupDrain>[1];
  expect([blockerOfGroupDrain(alone, facts), waitsForOtherDrains(alone, facts)]).toEqual([null, null]);
});

test('the others are those of the same intent', () => {
  const own = aDrain();
  const earlier = { ...other('n3', 'Removed'), id: '6-web/n3' };
  const stored = [own, other('n2', 'Tainting'), earlier].map(asStored);
  expect(otherDrainsOf(own, stored).map(({ id }) => id)).toEqual(['7-web/n2']);
});
