import { describe, expect, it } from 'vitest';
import { after, inPhase, oneNodeWorld, step } from '../one-node-world.ts';
import { failed } from './changes.ts';

describe('rolling back', () => {
  it('goes on until the node is clean', () => {
    const world = oneNodeWorld();
    const drain = inPhase('RollingBack', world, {
      outcome: { kind: 'rolledBack', at: after(0), failure: 'Gone', blocker: 'NodeGone', message: '', pod: null },
    });
    for (const time of [10, 1_000, 100_000]) {
      expect(step(drain, world, time, { changeNode: failed })).toMatchObject({
        does: ['take marks off'],
        drain: { phase: 'RollingBack', waitingFor: '403: may not patch nodes' },
      });
    }
  });

  it('leaves a node marked whose instance is about to end', () => {
    const world = oneNodeWorld();
    const drain = inPhase('Validating', world);
    world.instance = 'ending';
    expect(step(drain, world, 1)).toMatchObject({
      does: [],
      drain: { phase: 'RolledBack', outcome: { failure: 'Gone' } },
    });
  });
});
