import { chunksOf } from '@outrigger/core/model/values/chunks.ts';
import type { DecisionHistory, HistoryPeriod } from '@outrigger/core/ports/decision-history.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { HistoryObservation } from './observed.ts';

/** Scenarios that are read at a time: each has up to 350 KB, compressed. */
const AT_ONCE = 4;

/** The kept decisions of a period in the order of their times. Of their scenarios a few are in memory at a time. */
export async function* observationsOf(
  history: Pick<DecisionHistory, 'decisions' | 'get'>,
  cluster: ClusterName,
  period: HistoryPeriod,
  signal?: AbortSignal,
): AsyncGenerator<HistoryObservation> {
  const decisions = (await history.decisions(cluster, period, signal)).toReversed();
  for (const some of chunksOf(decisions, AT_ONCE)) {
    const read = some.map(async ({ id, at, decision, scenario }) => ({
      at,
      decision,
      scenario: scenario === 'kept' ? ((await history.get(cluster, id, signal))?.scenario ?? null) : null,
    }));
    yield* await Promise.all(read);
  }
}
