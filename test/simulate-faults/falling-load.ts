import type { Options } from '../../core/model/options.ts';
import { type EpochMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import { type Workload, workloadKey } from '../../providers/simulated/workload.ts';
import type { Step } from './step.ts';

interface AboutLoad {
  readonly seed: number;
  readonly start: EpochMs;
  readonly options: Options;
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

/** Its name among what is drawn. */
export const FALLING_LOAD = 'falling load';

/** The part of the runs whose load only falls. */
const PART = 0.08;
/** When it does, in minutes, and to which part of what it was, in percent. */
const FALLS = [
  { after: 11, to: { min: 40, max: 80 } },
  { after: 23, to: { min: 50, max: 90 } },
];

/** Nodes are consolidated as soon and as often as may be, and ordinary scale-down leaves them time for it. */
const EAGER: Partial<Options> = {
  scaleDownEnabled: true,
  scaleDownUtilizationThreshold: 0.5,
  scaleDownDelayAfterAdd: seconds(0),
  scaleDownUnneededTime: minutes(10),
  consolidation: 'replace',
  consolidateAfter: seconds(20),
  consolidationMinNodeAge: minutes(10),
  consolidationHorizon: minutes(24 * 60),
  consolidationMinSaving: 0.05,
  consolidationMaxMovesPerDay: 0,
  consolidationMaxMovesPerPod: 0,
  consolidationUtilizationThreshold: 1,
};

/**
 * In some runs all of the load is there at the start, falls twice and never rises: what is bought after that is bought by
 * consolidation, and what the cluster costs before and after can be told.
 */
export function withFallingLoad<Scenario extends AboutLoad>(scenario: Scenario, always: readonly string[]): Scenario {
  const { seed, start, options, steps, drawn } = scenario;
  const chance = chanceFor(seed, FALLING_LOAD);
  if (chance.next() >= PART && !always.includes(FALLING_LOAD)) {
    return scenario;
  }
  const falling = largest(steps).flatMap((workload): Step[] => {
    let { pods } = workload;
    const at = (after: number): EpochMs => epochMs(start + minutes(after) + chance.within({ min: 1_000, max: 60_000 }));
    return [
      { kind: 'apply', at: at(0), workload },
      ...FALLS.map(({ after, to }): Step => {
        pods = Math.ceil((pods * chance.within(to)) / 100);
        return { kind: 'apply', at: at(after), workload: { ...workload, pods } };
      }),
    ];
  });
  return {
    ...scenario,
    options: { ...options, ...EAGER },
    steps: falling.toSorted((a, b) => a.at - b.at),
    drawn: [...new Set([...drawn, 'consolidation', FALLING_LOAD])],
  };
}

/** Each workload but Jobs, with the most pods that it is given. */
function largest(steps: readonly Step[]): readonly Workload[] {
  const all = new Map<string, Workload>();
  for (const step of steps) {
    if (step.kind === 'apply' && step.workload.kind !== 'Job') {
      const key = workloadKey(step.workload);
      const pods = Math.max(all.get(key)?.pods ?? 0, step.workload.pods);
      all.set(key, { ...step.workload, pods });
    }
  }
  return [...all.values()];
}
