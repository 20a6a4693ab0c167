import { addCount } from '../../model/values/counts.ts';
import { controllerKeyOf, keyOf, type Pod } from '../../model/cluster/pod.ts';
import type { Scenario } from '../../model/scenario.ts';
import { type ConsolidationMoves, nameOfMoves, type State } from '../../model/state.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { sortedBy } from '../../model/values/sorted.ts';
import { type EpochMs, minutes } from '../../model/values/time.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';

const DAY = minutes(24 * 60);

/**
 * For so long after its move was decided a pod is left alone: it is evicted within a quarter of an hour, or its drain is given
 * up, and is not moved again within an hour of that.
 */
const REST = minutes(75);

/** Most entries that are remembered. With more nothing is consolidated, for the guards would be blind. */
export const MOST_REMEMBERED = 1_000;

/** The key of pods that stand in for each other: of one controller, or the pod itself. */
const controllerOf = (pod: Pod): string => controllerKeyOf(pod) ?? keyOf(pod);

/** The moves that consolidation has left. */
export interface MovesLeft {
  /** Why these pods stay, in words; `null`: they may be moved. */
  readonly blockedBy: (pods: readonly Pod[]) => string | null;
  /** Counts them as moved. */
  readonly countMoved: (pods: readonly Pod[]) => void;
}

/** @param waiting number of pods that are to be moved by disruptions that wait. */
export function movesLeft({ objects, state, options, now }: Scenario, waiting: number): MovesLeft {
  const { consolidationMaxMovesPerDay: perDay, consolidationMaxMovesPerPod: perPod } = options;
  const today = (state.consolidationMoves ?? []).filter(({ last }) => last + DAY > now);
  const byController = new Map<string, number>();
  let total = waiting;
  for (const { controller, pods } of today) {
    addCount(byController, controller, pods);
    total += pods;
  }
  const lately = Map.groupBy(
    today.filter(({ last }) => last + REST > now),
    ({ controller }) => controller,
  );
  const size = new Map<string, number>();
  if (perPod > 0 && byController.size > 0) {
    // How many stand in for each other.
    for (const pod of objects.pods) {
      const controller = controllerOf(pod);
      if (byController.has(controller)) {
        addCount(size, controller);
      }
    }
  }
  const full = today.length >= MOST_REMEMBERED;
  return {
    blockedBy: (pods) => {
      if (full) {
        return CONSOLIDATION_MESSAGES.tooManyRemembered();
      }
      if (perDay > 0 && total + pods.length > perDay) {
        return CONSOLIDATION_MESSAGES.movesOfDay(perDay);
      }
      if (byController.size === 0) {
        return null;
      }
      const moved = pods.find((pod) => lately.get(controllerOf(pod))?.some((one) => mayStandIn(pod, one)));
      if (moved !== undefined) {
        return CONSOLIDATION_MESSAGES.movedLately(keyOf(moved));
      }
      const often = pods.find((pod) => {
        const controller = controllerOf(pod);
        return perPod > 0 && (byController.get(controller) ?? 0) >= perPod * Math.max(1, size.get(controller) ?? 1);
      });
      return mapOptional(often, (pod) => CONSOLIDATION_MESSAGES.movesOfPod(keyOf(pod), perPod)) ?? null;
    },
    countMoved: (pods) => {
      total += pods.length;
      for (const pod of pods) {
        addCount(byController, controllerOf(pod));
      }
    },
  };
}

/**
 * May the pod be one that was moved then, recreated since? It is unknown which pod replaced which, and
 * whether something else has evicted the pod once more since. So each pod that was created after the first move may be.
 */
const mayStandIn = ({ createdAt }: Pod, { first }: ConsolidationMoves): boolean =>
  createdAt === null || createdAt >= first;

/**
 * The state that remembers that consolidation moves these pods from now on: of each controller once an hour by the clock, and
 * for a day.
 */
export function withMoves<S extends Pick<State, 'consolidationMoves'>>(
  state: S,
  pods: readonly Pod[],
  now: EpochMs,
): S {
  const there = state.consolidationMoves ?? [];
  const kept = there.filter(({ last }) => last + DAY > now);
  if (pods.length === 0 && kept.length === there.length) {
    return state;
  }
  const moves = new Map(kept.map((one) => [nameOfMoves(one), one]));
  for (const pod of pods) {
    const fresh = { controller: controllerOf(pod), first: now };
    const name = nameOfMoves(fresh);
    const known = moves.get(name);
    moves.set(name, { ...fresh, ...known, last: now, pods: (known?.pods ?? 0) + 1 });
  }
  return {
    ...state,
    consolidationMoves: moves.size === 0 ? undefined : sortedBy([...moves.values()], nameOfMoves),
  };
}
