import type { Decision, PodOutcome, PodReason } from '../../core/model/decision.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { type Document, MAX_DOCUMENT_BYTES, sizeOf, writeDocument } from './document.ts';

/** From so many reasons on a decision is shortened before it is even written: as text it would take hundreds of MB. */
const MANY_REASONS = 100_000;

/**
 * Writes a decision so that it fits one item. What was decided (increases, removals, repairs) is always kept; where the
 * whole does not fit, explanations are shortened, the longest first, until it does, and `omitted` says so.
 *
 * Not split over several items: a transaction counts twice, so ten items of this size would ask a partition for seven
 * times what it can write in a second.
 */
export async function writeDecision(decision: Decision, maxBytes = MAX_DOCUMENT_BYTES): Promise<Document> {
  let shortened = decision;
  let document = reasonsIn(decision) > MANY_REASONS ? null : await writeDocument(JSON.stringify(decision));
  for (const shorten of SHORTENINGS) {
    if (document !== null && sizeOf(document) <= maxBytes) {
      break;
    }
    const next = shorten(shortened);
    if (next !== shortened) {
      shortened = next;
      document = await writeDocument(JSON.stringify(shortened));
    }
  }
  if (document === null || sizeOf(document) > maxBytes) {
    throw new Error(
      `Decision ${decision.name} does not fit ${maxBytes} bytes even without explanations and without its state: ` +
        `${decision.scaleUp.increases.length} increases, ${decision.scaleDown.removals.length} removals, ` +
        `${Object.keys(decision.registry.groups).length} groups`,
    );
  }
  return document;
}

type Shortening = (decision: Decision) => Decision;

/** In this order; each gives the very decision back where there is nothing for it to do. */
const SHORTENINGS: readonly Shortening[] = [
  (decision) =>
    decision.scaleUp.pods.some(({ reasons }) => reasons !== undefined && reasons.length > 1)
      ? leftOut(
          { ...decision, scaleUp: { ...decision.scaleUp, pods: decision.scaleUp.pods.map(withSummedReasons) } },
          "which node group rejects which pod: a pod's reasons are counted instead",
        )
      : decision,
  (decision) => {
    const { fit, ...rest } = decision;
    return fit === undefined ? decision : leftOut(rest, 'which nodes each pod fits on');
  },
  (decision) =>
    decision.scaleUp.considered.some(({ options }) => options.length > 1)
      ? leftOut(
          {
            ...decision,
            scaleUp: {
              ...decision.scaleUp,
              considered: decision.scaleUp.considered.map((consideration) => ({
                ...consideration,
                options: consideration.options.filter(({ group }) => group === consideration.winner),
              })),
            },
          },
          'the options that were considered and not chosen',
        )
      : decision,
  (decision) => leftOut({ ...decision, state: EMPTY_STATE }, 'the state after the decision'),
  atMost(10_000),
  atMost(1_000),
  atMost(100),
];

const leftOut = (decision: Decision, what: string): Decision => ({
  ...decision,
  omitted: [...(decision.omitted ?? []), what],
});

/** `Insufficient cpu` of 480 groups becomes one reason. */
function withSummedReasons(pod: PodOutcome): PodOutcome {
  if (pod.reasons === undefined) {
    return pod;
  }
  const counts = new Map<string, PodReason[]>();
  for (const reason of pod.reasons) {
    const same = counts.get(reason.reason);
    if (same === undefined) {
      counts.set(reason.reason, [reason]);
    } else {
      same.push(reason);
    }
  }
  const reasons = [...counts].map(([reason, same]) =>
    same.length === 1 ? same[0]! : { reason: `${reason} (${same.length} node groups)` },
  );
  return { ...pod, reasons };
}

/** The first so many of each list that grows with the cluster; of pods, so many for each outcome. */
function atMost(length: number): Shortening {
  return (decision) => {
    const kept = new Map<string, number>();
    const pods = decision.scaleUp.pods.filter(({ outcome }) => {
      const number = (kept.get(outcome) ?? 0) + 1;
      kept.set(outcome, number);
      return number <= length;
    });
    const unneeded = decision.scaleDown.unneeded.slice(0, length);
    const unremovable = decision.scaleDown.unremovable.slice(0, length);
    const missing =
      decision.scaleUp.pods.length -
      pods.length +
      (decision.scaleDown.unneeded.length - unneeded.length) +
      (decision.scaleDown.unremovable.length - unremovable.length);
    return missing === 0
      ? decision
      : leftOut(
          {
            ...decision,
            scaleUp: { ...decision.scaleUp, pods },
            scaleDown: { ...decision.scaleDown, unneeded, unremovable },
          },
          `${missing} pods and nodes: at most ${length} are listed for each outcome`,
        );
  };
}

const reasonsIn = (decision: Decision): number =>
  decision.scaleUp.pods.reduce((sum, { reasons }) => sum + (reasons?.length ?? 0), 0);
