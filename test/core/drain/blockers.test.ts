import { describe, expect, it } from 'vitest';
import type { DrainPhase } from '../../../core/model/drain.ts';
import { type Options, defaultOptions } from '../../../core/model/options.ts';
import { after, aDrain, inPhase, oneNodeWorld, step, webPod } from './one-node-world.ts';
import { NOW } from '../../scenario-builders.ts';
import { NO_RESULTS } from '../../../core/drain/effects.ts';
import { advanceDrain } from '../../../core/drain/advance.ts';
import { excluded } from '../excluded.ts';

describe('a decision of long ago', () => {
  const outcomeAt = (phase: DrainPhase, age: number, options: Partial<Options> = {}) => {
    const world = oneNodeWorld([webPod('web-1')]);
    const drain =
      phase === 'Tainting'
        ? aDrain('drain', { phaseSince: after(age) })
        : inPhase(phase, world, { phaseSince: after(age) });
    return step(drain, world, age, {}, options).drain.outcome;
  };
  const TOO_OLD = {
    failure: 'NoLongerRemovable',
    message: 'it was decided 5m6s ago, and the node may be needed by now',
  };

  it.each<DrainPhase>(['Tainting', 'Validating'])('is not followed any more while %s', (phase) => {
    expect(outcomeAt(phase, 305)).toBeNull();
    expect(outcomeAt(phase, 306)).toMatchObject(TOO_OLD);
  });

  it('is followed when the scheduler was to be given that time', () => {
    expect(
      outcomeAt('Validating', 306, { nodeDeleteDelayAfterTaint: 6_000 as Options['nodeDeleteDelayAfterTaint'] }),
    ).toBeNull();
  });

  it('is followed to the end when pods have been evicted for it', () => {
    expect(outcomeAt('Evicting', 3_600)).toBeNull();
  });
});

it('a drain of a node that is excluded by now is taken back, with what cannot be read', () => {
  const world = oneNodeWorld([webPod('web-1')]);
  const seen = world.observe(NO_RESULTS);
  const observed = { ...seen, cluster: { ...seen.cluster, excludedNodes: excluded('n1') } };
  const { drain } = advanceDrain(aDrain(), observed, NOW, defaultOptions());
  expect(drain.outcome).toMatchObject({
    kind: 'rolledBack',
    failure: 'NoLongerRemovable',
    message: 'Pod evil/odd: spec: expected an object, found 7',
  });
});
