import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { type EpochMs, epochMs, seconds } from '@outrigger/core/model/values/time.ts';
import { timesToCapacity } from '@outrigger/core/scaleup/pods/time-to-capacity.ts';
import type { Memory } from '../evaluate/memory.ts';
import type { World } from '../shared/world.ts';
import { guarded } from './guarded.ts';

/** By then the scheduler has put the pods on a node that has become ready. */
const PLACED_AFTER = seconds(30);

/** Publishes how long pods have waited for nodes that have become ready. A new sandbox begins with those from now on. */
export function reportTimeToCapacity(
  { log, metrics }: Pick<World, 'log' | 'metrics'>,
  counted: Memory<EpochMs | null>,
  cluster: ClusterName,
  scenario: Scenario,
): void {
  const until = epochMs(scenario.now - PLACED_AFTER);
  const after = counted.of(cluster);
  const since = (from: EpochMs) =>
    guarded({ log }, cluster, 'how long pods have waited', () => timesToCapacity(scenario, from, until), []);
  for (const time of after === null ? [] : since(after)) {
    metrics.milliseconds('TimeToCapacityMs', time);
  }
  counted.keep(cluster, epochMs(Math.max(until, after ?? 0)));
}
