import { present, nonEmpty } from '@outrigger/core/model/values/present.ts';
import { firstItem, getExisting } from '@outrigger/core/model/values/existing.ts';
import { clip, LONGEST_MESSAGE } from '@outrigger/core/model/values/clip.ts';
import type { Decision, PodOutcome } from '@outrigger/core/model/decision.ts';
import { EMPTY_STATE } from '@outrigger/core/model/state.ts';
import { inTurns } from '@outrigger/core/model/values/fair-shares.ts';
import { type Document, MAX_DOCUMENT_BYTES, documentSize, writeDocument } from './document.ts';
import { addCount } from '@outrigger/core/model/values/counts.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** From this size on a decision is shortened before it is written: as text it would take hundreds of MB. */
const MANY_REASONS = 100_000;
const MANY_CHARACTERS = 32 * 1024 * 1024;
/** Length of each list in an outline: with the longest names and texts all lists are below 300 KB. */
const OUTLINED = 100;

/**
 * Writes a decision that always fits one item. Where the whole does not fit, explanations are shortened, the longest
 * first, until it does, and listed in `omitted`; messages are removed last. The decided changes (increases, removals,
 * repairs) are kept up to some hundreds of them, beyond that counted.
 *
 * Not split over several items: a transactional write counts twice, so ten items of this size would need seven times
 * the write capacity of a partition in one second.
 */
export async function writeStoredDecision(decision: Decision, maxBytes = MAX_DOCUMENT_BYTES): Promise<Document> {
  let shortened = decision;
  let document = isHuge(decision) ? null : await writeDocument(JSON.stringify(decision));
  for (const shorten of SHORTENINGS) {
    if (document !== null && documentSize(document) <= maxBytes) {
      return document;
    }
    const next = shorten(shortened);
    if (next !== shortened) {
      shortened = next;
      document = isHuge(shortened) ? null : await writeDocument(JSON.stringify(shortened));
    }
  }
  if (document !== null && documentSize(document) <= maxBytes) {
    return document;
  }
  return await writeDocument(JSON.stringify(outline(shortened)));
}

type Shortener = (decision: Decision) => Decision;

/** In this order; each returns the same decision where it has nothing to shorten. */
const SHORTENINGS: readonly Shortener[] = [
  withoutStacks,
  withShortTexts,
  (decision) => {
    const { rejections, ...scaleUp } = decision.scaleUp;
    return rejections === undefined ? decision : leftOut({ ...decision, scaleUp }, 'what new nodes lack for pods');
  },
  (decision) => {
    const { scaleUp } = decision;
    if (scaleUp.pods.every(({ reasons = [] }) => reasons.length <= 1)) {
      return decision;
    }
    return leftOut(
      { ...decision, scaleUp: { ...scaleUp, pods: scaleUp.pods.map(withSummedReasons) } },
      "which node group rejects which pod: a pod's reasons are counted instead",
    );
  },
  without('fit', 'which nodes each pod fits on'),
  (decision) => {
    const { scaleUp } = decision;
    if (scaleUp.considered.every(({ options }) => options.length <= 1)) {
      return decision;
    }
    const considered = scaleUp.considered.map((one) => ({
      ...one,
      options: one.options.filter(({ group }) => group === one.winner),
    }));
    return leftOut(
      { ...decision, scaleUp: { ...scaleUp, considered } },
      'the options that were considered and not chosen',
    );
  },
  without('nodeGroups', 'limits, templates and nodes of node groups'),
  (decision) => leftOut({ ...decision, state: EMPTY_STATE }, 'the state after the decision'),
  atMost(10_000),
  atMost(1_000),
  atMost(100),
  withoutTexts,
];

const leftOut = (decision: Decision, what: string): Decision => ({
  ...decision,
  omitted: [...(decision.omitted ?? []), what],
});

/** Leaves out a part of the decision. */
function without(part: 'fit' | 'nodeGroups', what: string): Shortener {
  return (decision) => {
    const { [part]: found, ...rest } = decision;
    return found === undefined ? decision : leftOut(rest, what);
  };
}

/** `Insufficient cpu` of 480 groups becomes one reason. */
function withSummedReasons(pod: PodOutcome): PodOutcome {
  if (pod.reasons === undefined) {
    return pod;
  }
  const reasons = [...Map.groupBy(pod.reasons, ({ reason }) => reason)].map(([reason, same]) =>
    same.length === 1 ? firstItem(same) : { reason: `${reason} (${same.length} node groups)` },
  );
  return { ...pod, reasons };
}

/** The first entries of each list that grows with the cluster; of pods, the first for each outcome. */
function atMost(length: number): Shortener {
  return (decision) => {
    const kept = new Map<string, number>();
    const pods = decision.scaleUp.pods.filter(({ outcome }) => {
      addCount(kept, outcome);
      return getExisting(kept, outcome) <= length;
    });
    const unneeded = decision.scaleDown.unneeded.slice(0, length);
    const { utilization } = decision.scaleDown;
    const unremovable = decision.scaleDown.unremovable.slice(0, length);
    const missing =
      decision.scaleUp.pods.length -
      pods.length +
      (decision.scaleDown.unneeded.length - unneeded.length) +
      (decision.scaleDown.unremovable.length - unremovable.length);
    if (missing === 0) {
      return withHeadroom(decision, length);
    }
    const scaleDown = {
      ...decision.scaleDown,
      unneeded,
      unremovable,
      utilization: utilization && firstOf(utilization, length),
    };
    const shortened = leftOut(
      { ...decision, scaleUp: { ...decision.scaleUp, pods }, scaleDown },
      `${missing} pods and nodes: at most ${length} are listed for each outcome`,
    );
    return withHeadroom(shortened, length);
  };
}

const firstOf = <T>(record: Readonly<Record<string, T>>, length: number): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).slice(0, length));

/** A decision with at most `length` buffers and requests each: a namespace may have any number of either. */
function withHeadroom(decision: Decision, length: number): Decision {
  const { headroom = [], provisioningRequests = [] } = decision.scaleUp;
  const missing = Math.max(0, headroom.length - length) + Math.max(0, provisioningRequests.length - length);
  if (missing === 0) {
    return decision;
  }
  const scaleUp = {
    ...decision.scaleUp,
    headroom: inTurns(headroom, namespaceOf).slice(0, length),
    provisioningRequests: inTurns(provisioningRequests, namespaceOf).slice(0, length),
  };
  return leftOut({ ...decision, scaleUp }, `${missing} buffers and requests: at most ${length} of each are listed`);
}

const namespaceOf = ({ name }: { readonly name: string }): string => name.slice(0, name.indexOf('/'));

/** Messages of pods and nodes contain users' texts: names of claims and budgets, values of annotations. */
function isHuge({ scaleUp: { pods }, scaleDown: { unremovable } }: Decision): boolean {
  let reasons = 0;
  let characters = 0;
  for (const pod of pods) {
    for (const { reason } of pod.reasons ?? []) {
      reasons += 1;
      characters += reason.length;
    }
  }
  for (const { message } of unremovable) {
    characters += message?.length ?? 0;
  }
  return reasons > MANY_REASONS || characters > MANY_CHARACTERS;
}

/** Applies `change` to every message of the decision. */
function mapTexts(decision: Decision, change: (text: string) => string): Decision {
  const { scaleUp, scaleDown } = decision;
  const message = <T extends { readonly message?: string }>(of: T): T =>
    of.message === undefined ? of : { ...of, message: change(of.message) };
  return {
    ...decision,
    scaleUp: {
      ...scaleUp,
      pods: scaleUp.pods.map((pod) =>
        pod.reasons === undefined
          ? pod
          : { ...pod, reasons: pod.reasons.map((reason) => ({ ...reason, reason: change(reason.reason) })) },
      ),
      skippedGroups: scaleUp.skippedGroups.map(message),
      considered: scaleUp.considered.map((one) => ({ ...one, why: change(one.why) })),
    },
    scaleDown: {
      ...scaleDown,
      unremovable: scaleDown.unremovable.map(message),
      message: mapOptional(scaleDown.message, change),
    },
  };
}

/** The log contains them. */
function withoutStacks(decision: Decision): Decision {
  const { unexpectedErrors = [] } = decision;
  if (unexpectedErrors.every(({ stack }) => stack === '')) {
    return decision;
  }
  return leftOut(
    { ...decision, unexpectedErrors: unexpectedErrors.map((error) => ({ ...error, stack: '' })) },
    'the stacks of unexpected errors',
  );
}

function withShortTexts(decision: Decision): Decision {
  let clipped = 0;
  const short = mapTexts(decision, (text) => {
    clipped += Number(text.length > LONGEST_MESSAGE);
    return clip(text);
  });
  if (clipped === 0) {
    return decision;
  }
  return leftOut(short, `the ends of ${clipped} texts of more than ${LONGEST_MESSAGE} characters`);
}

function withoutTexts(decision: Decision): Decision {
  const plain = mapTexts(decision, () => '');
  const pods = plain.scaleUp.pods.map(({ pod, outcome, group }) => ({ pod, outcome, ...present({ group }) }));
  return leftOut({ ...plain, scaleUp: { ...plain.scaleUp, pods } }, 'all explanations in words');
}

/** The decided changes, and counts of the rest. Small for any decision. */
function outline(decision: Decision): Decision {
  const { name, evaluation, scaleUp, scaleDown, registry, unexpectedErrors = [] } = decision;
  const { headroom: _, provisioningRequests: __, skippedDaemonSets: ___, rejections: ____, ...rest } = scaleUp;
  const { increases, pods, skippedGroups, considered } = rest;
  const { removals, unneeded, unremovable } = scaleDown;
  const counts = {
    increases,
    pods,
    skippedGroups,
    considered,
    removals,
    unneeded,
    unremovable,
    repairs: registry.repairs,
    ...nonEmpty({ unexpectedErrors }),
  };
  const left = Object.entries(counts).map(([of, list]) => `${list.length} ${of}`);
  return {
    name: clip(name),
    ...present({ evaluation }),
    scaleUp: {
      ...rest,
      increases: increases.slice(0, OUTLINED),
      pods: [],
      upcoming: {},
      skippedGroups: [],
      considered: [],
      plan: null,
    },
    scaleDown: {
      ...scaleDown,
      unneeded: [],
      removals: removals.slice(0, OUTLINED).map((removal) => ({ ...removal, pods: [], destinations: [] })),
      unremovable: [],
      message: null,
    },
    registry: { ...registry, groups: {}, repairs: registry.repairs.slice(0, OUTLINED) },
    state: EMPTY_STATE,
    omitted: [
      `all but what is to be done, and of that all but the first ${OUTLINED} of each kind: there were ${left.join(', ')}`,
    ],
  };
}
