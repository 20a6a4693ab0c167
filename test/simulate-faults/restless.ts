import type { Options } from '../../core/model/options.ts';
import { type DurationMs, type EpochMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import type { Chance } from '../../simulation/chance.ts';
import type { Workload } from '../../simulation/cluster/workload.ts';
import type { Step } from './step.ts';

/**
 * A load that comes and goes like the tide, every few minutes, on nodes that many small workloads share: each ebb
 * leaves nodes with a few pods on them, which have room elsewhere. Several drains that move pods run at once, while
 * ordinary loads cause one or none.
 *
 * @param workloads with their largest size, which is also the first
 */
export function tides(
  workloads: readonly Workload[],
  start: EpochMs,
  length: DurationMs,
  chance: Chance,
): readonly Step[] {
  const apply = (workload: Workload, at: number, pods: number): Step => ({
    kind: 'apply',
    at: epochMs(Math.min(at, start + length)),
    workload: { ...workload, pods },
  });
  const steps = workloads.map((workload) =>
    apply(workload, start + chance.within({ min: 1_000, max: 40_000 }), workload.pods),
  );
  let ebbs = true;
  for (
    let at = start + chance.within({ min: 240_000, max: 420_000 });
    at < start + length;
    // Now and then it is calm for long enough to see whether what was bought is kept.
    at += chance.within(chance.next() < 0.3 ? { min: 660_000, max: 840_000 } : { min: 120_000, max: 480_000 })
  ) {
    for (const workload of workloads) {
      if (chance.next() < 0.6) {
        const pods = ebbs
          ? chance.within({ min: 0, max: Math.floor(workload.pods / 3) })
          : chance.within({ min: Math.ceil(workload.pods / 2), max: workload.pods });
        steps.push(apply(workload, at + chance.within({ min: 0, max: 60_000 }), pods));
      }
    }
    // A tide in four is followed by another of its kind.
    ebbs = chance.next() < 0.25 ? ebbs : !ebbs;
  }
  return steps.toSorted((a, b) => a.at - b.at);
}

/** Options that go with the tides: nodes are found unneeded before the next one, and several are drained at a time. */
export function quickOptions(chance: Chance): Partial<Options> {
  const { oneOf } = chance;
  return {
    scaleDownEnabled: true,
    scaleDownUtilizationThreshold: oneOf([0.5, 0.75, 0.9]),
    maxScaleDownParallelism: oneOf([2, 5, 10]),
    maxDrainParallelism: oneOf([1, 2, 5]),
    scaleDownUnneededTime: oneOf([seconds(10), seconds(30), minutes(1)]),
    scaleDownDelayAfterAdd: oneOf([seconds(0), seconds(0), seconds(30)]),
    scaleDownDelayAfterDelete: seconds(0),
    scaleDownDelayAfterFailure: oneOf([seconds(0), seconds(20)]),
    unremovableNodeRecheckTimeout: oneOf([seconds(0), seconds(30)]),
  };
}
