import { valueOf } from '@outrigger/core/model/values/records.ts';

// Names in documents and stored items of earlier versions. Both are still read; only the present names are written.

/** Names that a field had, and its name now; `null`: the field is gone, and ignored. */
export type Former = Readonly<Record<string, string | null>>;

/** By the object that has the field. */
export const FORMER_FIELDS = {
  scenario: { closedNodes: 'excludedNodes' },
  state: { promised: 'reservations', packing: 'reservedPacking', troubles: 'problems' },
  unneededTime: { boughtAgain: 'relaunched' },
  consolidationMoves: { lineage: 'controller' },
  reservation: { there: 'existing' },
  reservedPacking: { method: null, spare: null },
  scaleUp: { predicted: null, forgotten: 'requeued', daemonsLeftOut: 'skippedDaemonSets' },
  considered: { uneven: 'unbalanced', asks: 'unanswered' },
  consideredOption: { cutShort: 'incomplete' },
  plan: { firstFitCost: null, method: null, tried: null },
  disruption: { leftOut: 'deferred' },
  budget: { away: 'disrupting' },
} as const satisfies Readonly<Record<string, Former>>;

/** Values, by the field that has them. */
export const FORMER_VALUES = {
  failureClass: { Authorisation: 'Authorization' },
  problemKind: { PodsWait: 'LongPendingPods', NodeHeld: 'NodeAwaitingPods' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** An object's fields under their present names; anything else as given. Of two names for one field the former is left as given. */
export function withPresentNames(raw: unknown, former: Former): unknown {
  if (typeof raw !== 'object' || raw === null || !Object.keys(former).some((name) => Object.hasOwn(raw, name))) {
    return raw;
  }
  const nameNow = (key: string): string => {
    const name = valueOf(former, key) ?? key;
    return Object.hasOwn(raw, name) ? key : name;
  };
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([key]) => valueOf(former, key) !== null)
      .map(([key, value]) => [nameNow(key), value]),
  );
}
