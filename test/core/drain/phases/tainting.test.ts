import { describe, expect, it } from 'vitest';
import { REMOVAL_ANNOTATION } from '../../../../core/drain/removal-markers.ts';
import type { Drain } from '../../../../core/model/drain.ts';
import { addTime, seconds } from '../../../../core/model/values/time.ts';
import { NOW } from '../../../scenario-builders.ts';
import { aDrain, oneNodeWorld, type OneNodeWorld, step } from '../one-node-world.ts';
import { failed } from './changes.ts';

describe('tainting', () => {
  it('is given up after a minute, with the reason', () => {
    const world = oneNodeWorld();
    const early = step(aDrain(), world, 59, { changeNode: failed });
    expect(early.does).toEqual(['put marks on']);
    const { drain } = step(early.drain, world, 60, { changeNode: failed });
    expect(drain.outcome).toMatchObject({ failure: 'FailedToMarkToBeDeleted', message: '403: may not patch nodes' });
  });

  it('that was not answered may still come, and is waited for before the drain ends', () => {
    const world = oneNodeWorld();
    const asked = step(aDrain(), world, 55);
    const rolling = step(asked.drain, world, 66);
    expect(rolling.drain).toMatchObject({ phase: 'RollingBack', waitingFor: 'the taint may still arrive' });
    expect(step(rolling.drain, world, 114).drain.phase).toBe('RollingBack');
    expect(step(rolling.drain, world, 115).drain.phase).toBe('RolledBack');
  });

  /** A step whose effects come true. */
  const takes = (world: OneNodeWorld, drain: Drain, at: number): Drain => {
    const { drain: next, effects } = step(drain, world, at);
    world.perform(effects, () => 'done', addTime(NOW, seconds(at)));
    return next;
  };
  const LATER = aDrain('drain', { id: '10-web/n1' });

  it('is left to a drain that was decided later, once both have marked the node', () => {
    const world = oneNodeWorld();
    const first = takes(world, aDrain(), 0);
    const second = takes(world, LATER, 1);
    expect(takes(world, first, 2)).toMatchObject({ phase: 'RollingBack', outcome: { blocker: 'TakenOver' } });
    expect(world.node?.annotations[REMOVAL_ANNOTATION]).toBe(LATER.id);
    expect(takes(world, second, 3).phase).not.toBe('Tainting');
  });

  it('takes over the marks of a drain that was decided earlier, whichever came first', () => {
    const world = oneNodeWorld();
    const second = takes(world, LATER, 0);
    takes(world, aDrain(), 1);
    const again = takes(world, second, 2);
    expect(world.node?.annotations[REMOVAL_ANNOTATION]).toBe(LATER.id);
    expect(takes(world, again, 3).phase).not.toBe('Tainting');
  });

  it('takes over what is left of a drain of a state that was lost, whose version was higher', () => {
    const world = oneNodeWorld([], { annotations: { [REMOVAL_ANNOTATION]: '99-web/n1' } });
    const first = takes(world, aDrain(), 0);
    expect(takes(world, first, 1)).toMatchObject({ outcome: null });
  });
});
