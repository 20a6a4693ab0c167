import type { DrainExplanation } from '../../../core/explanation/drain.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { WHY_DRAIN_FAILED } from '../../../core/words/drain.ts';
import { sinceText } from '../../../core/words/when.ts';

/** A drain in lines: what is done, since when, what it waits for, and how it has ended. */
export function drainLines(drain: DrainExplanation, now: EpochMs): readonly string[] {
  const { phase, doing, phaseSince, waitsFor, pods, refused, outcome } = drain;
  return [
    `${phase}: ${doing}, since ${sinceText(phaseSince, now)}`,
    ...(pods.asked === 0 ? [] : [`${pods.gone} of ${pods.asked} evicted pods are gone`]),
    ...(waitsFor === null ? [] : [`waits for: ${waitsFor}`]),
    ...refused.map(({ pod, refusal }) => `pod ${pod} was not evicted: ${refusal}`),
    ...(outcome?.kind === 'rolledBack'
      ? [
          `${WHY_DRAIN_FAILED[outcome.failure].short}: ${outcome.pod === null ? '' : `pod ${outcome.pod}: `}${outcome.message}`,
        ]
      : []),
  ];
}
