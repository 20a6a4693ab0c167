import { describe, expect, it } from 'vitest';
import { aDrain, oneNodeWorld, step } from '../one-node-world.ts';
import { failed } from './changes.ts';

describe('tainting', () => {
  it('is given up after a minute, with the reason', () => {
    const world = oneNodeWorld();
    const early = step(aDrain(), world, 59, { changeNode: failed });
    expect(early.does).toEqual(['put marks on']);
    const { drain } = step(early.drain, world, 60, { changeNode: failed });
    expect(drain.outcome).toMatchObject({
      failure: 'FailedToMarkToBeDeleted',
      message: '403: may not patch nodes',
    });
  });

  it('that was not answered may still come, and is waited for before the drain ends', () => {
    const world = oneNodeWorld();
    const asked = step(aDrain(), world, 55);
    const rolling = step(asked.drain, world, 66);
    expect(rolling.drain).toMatchObject({ phase: 'RollingBack', waitingFor: 'the taint may still be on its way' });
    expect(step(rolling.drain, world, 114).drain.phase).toBe('RollingBack');
    expect(step(rolling.drain, world, 115).drain.phase).toBe('RolledBack');
  });
});
