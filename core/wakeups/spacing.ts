import type { Decision } from '../model/decision.ts';
import { type EpochMs, epochMs } from '../model/values/time.ts';
import { attemptOf, MAX_RECHECKS, readyAt, type WakeUp, WINDOW_MS } from './wake-up.ts';

/** Evaluations in a row that bring nothing new before the next one waits for longer than a window. */
const FREE = 4;
/** The farthest that wake-ups are spaced out, in milliseconds. */
export const LONGEST_SPACE_MS = 10_000;
/** From here on the space is the longest. */
const MOST_WITHOUT_NEWS = FREE + Math.ceil(Math.log2(LONGEST_SPACE_MS / WINDOW_MS));

/**
 * The history of one cluster's evaluations, so that wake-ups which bring nothing do not cost an evaluation each
 * (docs/decisions/0017-wake-ups-in-vain.md).
 */
export interface EvaluationHistory {
  readonly last: { readonly startedAt: EpochMs; readonly attempt: number } | null;
  /** When the last evaluation began that no scan caused. */
  readonly lastWokenAt: EpochMs | null;
  readonly withoutNews: number;
  /** The changes of the last evaluation, as a text. */
  readonly changes: string;
  /** The pods that the last one found room for. */
  readonly placed: ReadonlySet<string>;
}

export const NO_EVALUATIONS: EvaluationHistory = Object.freeze({
  last: null,
  lastWokenAt: null,
  withoutNews: 0,
  changes: '',
  placed: new Set<string>(),
});

/** The result of an evaluation. */
export interface EvaluationResult {
  /** When its reading began. */
  readonly startedAt: EpochMs;
  /** The lowest number of the rechecks that it was; `null` for one that a scan caused. */
  readonly attempt: number | null;
  /** `null` when no pod was waiting, and one small request was all. */
  readonly decision: Decision | null;
  /** Has something come to its end that was decided before? */
  readonly ended: boolean;
}

/** The wake-ups that no evaluation has answered yet: none began after what they report. Scans are never answered. */
export const unanswered = ({ last }: EvaluationHistory, wakeUps: readonly WakeUp[]): readonly WakeUp[] =>
  wakeUps.filter((wakeUp) => {
    const ready = readyAt(wakeUp);
    // Adds a window, because hosts' clocks differ. An evaluation with fewer rechecks left does not answer a wake-up
    // with more.
    return ready === null || last === null || last.startedAt < ready + WINDOW_MS || last.attempt > attemptOf(wakeUp);
  });

/** No evaluation before this, but for a scan's; never more than `LONGEST_SPACE_MS` from now. */
export const notBefore = ({ lastWokenAt, withoutNews }: EvaluationHistory, now: EpochMs): EpochMs =>
  lastWokenAt === null ? now : epochMs(Math.min(lastWokenAt + spaceAfter(withoutNews), now + LONGEST_SPACE_MS));

/** The history with one more evaluation. */
export function withEvaluation(
  history: EvaluationHistory,
  { startedAt, attempt, decision, ended }: EvaluationResult,
): EvaluationHistory {
  const last = { startedAt, attempt: attempt ?? MAX_RECHECKS };
  if (decision === null) {
    return { ...history, last };
  }
  const changes = changesOf(decision);
  const placed = placedBy(decision);
  const news = ended || (changes !== '' && changes !== history.changes) || !placed.isSubsetOf(history.placed);
  const { lastWokenAt, withoutNews } =
    attempt === null ? history : { lastWokenAt: startedAt, withoutNews: withoutNewsAfter(history, startedAt) };
  return { last, lastWokenAt, withoutNews: news ? 0 : withoutNews, changes, placed };
}

function withoutNewsAfter({ withoutNews, lastWokenAt }: EvaluationHistory, startedAt: EpochMs): number {
  const quietMs = startedAt - (lastWokenAt ?? Number.NEGATIVE_INFINITY);
  return Math.min(Math.max(withoutNews - Math.floor(quietMs / LONGEST_SPACE_MS), 0) + 1, MOST_WITHOUT_NEWS);
}

const spaceAfter = (withoutNews: number): number =>
  withoutNews <= FREE ? WINDOW_MS : Math.min(WINDOW_MS * 2 ** (withoutNews - FREE), LONGEST_SPACE_MS);

/**
 * The planned changes, as a text that is the same for the same changes; '' for none. A dry run decides the same each
 * time.
 */
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
  new Set(scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered' || outcome === 'Fits').map(({ pod }) => pod));
