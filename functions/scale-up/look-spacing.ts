import type { Decision } from '../../core/model/decision.ts';
import type { ClusterName } from '../../core/model/names.ts';
import { type EpochMs, epochMs } from '../../core/model/time.ts';
import { MAX_LOOKS, type WakeUp, WINDOW_MS, readyAt } from '../shared/wake-up.ts';

/** Evaluations in a row that bring nothing new before the next one waits for longer than a window. */
const FREE = 4;
/** The farthest that wake-ups are spaced out, in milliseconds. */
export const LONGEST_SPACE_MS = 10_000;
/** From here on the space is the longest. */
const MOST_IN_VAIN = FREE + Math.ceil(Math.log2(LONGEST_SPACE_MS / WINDOW_MS));

/** What an evaluation has brought. */
export interface LookResult {
  /** When its reading began. */
  readonly startedAt: EpochMs;
  /** The lowest number of the second looks that it was; `null` for one that a tick caused. */
  readonly look: number | null;
  /** `null` when no pod was waiting, and one small request was all. */
  readonly decision: Decision | null;
  /** Has something come to its end that was decided before? */
  readonly ended: boolean;
}

/**
 * What one sandbox remembers of one cluster's evaluations, so that wake-ups which bring nothing do not cost an evaluation
 * each (docs/decisions/0017-wake-ups-in-vain.md). Lost with the sandbox, which costs a few evaluations.
 */
export interface LookSpacing {
  /** The wake-ups that no evaluation has answered yet: none began after what they tell of. Ticks are never answered. */
  readonly unanswered: (wakeUps: readonly WakeUp[]) => readonly WakeUp[];
  /** No evaluation before this, but for a tick's; never more than `LONGEST_SPACE_MS` from now. */
  readonly notBefore: (now: EpochMs) => EpochMs;
  readonly looked: (result: LookResult) => void;
}

/** A memory for each cluster. */
export function spacings(): (cluster: ClusterName) => LookSpacing {
  const byCluster = new Map<ClusterName, LookSpacing>();
  return (cluster) => {
    const spacing = byCluster.get(cluster) ?? createLookSpacing();
    byCluster.set(cluster, spacing);
    return spacing;
  };
}

export function createLookSpacing(): LookSpacing {
  let last: { readonly startedAt: EpochMs; readonly look: number } | null = null;
  /** The last evaluation that no tick caused. */
  let lastRungAt = Number.NEGATIVE_INFINITY;
  let inVain = 0;
  let changes = '';
  let placed: ReadonlySet<string> = new Set();
  return {
    unanswered: (wakeUps) =>
      wakeUps.filter((wakeUp) => {
        const ready = readyAt(wakeUp);
        // A window more, for hosts' clocks differ. One that has fewer second looks to come does not stand for one that
        // has more.
        return ready === null || last === null || last.startedAt < ready + WINDOW_MS || last.look > wakeUp.look;
      }),
    notBefore: (now) => epochMs(Math.min(lastRungAt + spaceAfter(inVain), now + LONGEST_SPACE_MS)),
    looked: ({ startedAt, look, decision, ended }) => {
      last = { startedAt, look: look ?? MAX_LOOKS };
      if (decision === null) {
        return;
      }
      const changesNow = changesOf(decision);
      const placedNow = placedBy(decision);
      const news =
        ended || (changesNow !== '' && changesNow !== changes) || [...placedNow].some((pod) => !placed.has(pod));
      changes = changesNow;
      placed = placedNow;
      if (news) {
        inVain = 0;
      } else if (look !== null) {
        const quietMs = startedAt - lastRungAt;
        inVain = Math.min(Math.max(inVain - Math.floor(quietMs / LONGEST_SPACE_MS), 0) + 1, MOST_IN_VAIN);
      }
      if (look !== null) {
        lastRungAt = startedAt;
      }
    },
  };
}

const spaceAfter = (inVain: number): number =>
  inVain <= FREE ? WINDOW_MS : Math.min(WINDOW_MS * 2 ** (inVain - FREE), LONGEST_SPACE_MS);

/** What is to change, as a text that is the same for the same changes; '' for none. A dry run decides the same each time. */
function changesOf({ scaleUp, registry, scaleDown }: Decision): string {
  const changes = [
    ...scaleUp.increases.map(({ group, to }) => [group, to]),
    ...registry.repairs,
    ...scaleDown.removals.map(({ node }) => node),
  ];
  return changes.length === 0 ? '' : JSON.stringify(changes);
}

/** Pods that there will be room for: an evaluation that finds more of them has not been in vain. */
const placedBy = ({ scaleUp }: Decision): ReadonlySet<string> =>
  new Set(scaleUp.pods.flatMap(({ pod, outcome }) => (outcome === 'Triggered' || outcome === 'Fits' ? [pod] : [])));
