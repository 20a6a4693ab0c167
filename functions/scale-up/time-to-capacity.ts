import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { type EpochMs, epochMs, seconds } from '@outrigger/core/model/values/time.ts';
import { timesToCapacity } from '@outrigger/core/scaleup/pods/time-to-capacity.ts';
import type { Memory } from '../evaluate/memory.ts';
import type { ClusterRun } from '../shared/services.ts';
import { reportSafely } from './report-safely.ts';

/** By then the scheduler has put the pods on a node that has become ready. */
const PLACED_AFTER = seconds(30);

/** Publishes how long pods have waited for nodes that have become ready. A new sandbox begins with those from now on. */
export function reportTimeToCapacity(run: ClusterRun, counted: Memory<EpochMs | null>, scenario: Scenario): void {
  const { services, cluster } = run;
  const until = epochMs(scenario.now - PLACED_AFTER);
  const after = counted.of(cluster.name);
  if (after !== null) {
    const times = reportSafely(run, 'how long pods have waited', () => timesToCapacity(scenario, after, until), []);
    times.forEach((time) => services.metrics.milliseconds('TimeToCapacityMs', time));
  }
  counted.keep(cluster.name, epochMs(Math.max(until, after ?? 0)));
}
