import { describe, expect, it } from 'vitest';
import type { DrainPhase } from '../../../../core/model/drain.ts';
import type { Options } from '../../../../core/model/options.ts';
import { inPhase, oneNodeWorld, step } from '../one-node-world.ts';
import { annotated } from './changes.ts';

describe('delays', () => {
  const DELAY = 'delay-deletion.cluster-autoscaler.kubernetes.io/backup';

  it.each<[string, number, Partial<Options>, DrainPhase]>([
    ['are waited for', 119, {}, 'DeletionDelay'],
    ['are over after nodeDeletionDelayTimeout', 120, {}, 'Terminating'],
    [
      'are as long as the option says',
      119,
      { nodeDeletionDelayTimeout: 60_000 as Options['nodeDeletionDelayTimeout'] },
      'Terminating',
    ],
  ])('%s', (_, time, options, phase) => {
    const world = oneNodeWorld();
    const drain = inPhase('DeletionDelay', world);
    annotated(world, DELAY, '');
    expect(step(drain, world, time, {}, options).drain.phase).toBe(phase);
  });

  it('end with their annotation', () => {
    const world = oneNodeWorld();
    expect(step(inPhase('DeletionDelay', world), world, 1).does).toEqual(['terminate i-1']);
  });
});
