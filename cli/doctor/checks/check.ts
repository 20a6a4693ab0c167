import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { type Fact, factOr, type MissingFact } from '../facts/fact.ts';
import type { EksCluster, Facts } from '../facts/facts.ts';

/** The result of a check. `unknown`: the check could not be made. */
export type Status = 'ok' | 'warn' | 'fail' | 'unknown';

/** A remedy for a finding. */
export interface Remedy {
  /** The remedy in a sentence. */
  readonly text: string;
  /** Commands or settings, as they are to be typed. */
  readonly lines: readonly string[];
}

export interface Finding {
  readonly status: Status;
  /** The finding in whole sentences. */
  readonly found: string;
  readonly remedy: Remedy | null;
}

export interface Check {
  /** For JSON: kebab-case. */
  readonly id: string;
  /** For tables: at most 30 characters. */
  readonly title: string;
  /** The requirement, and the states that warn and fail, for the documentation. */
  readonly rule: string;
  /** Why it matters. */
  readonly why: string;
  /** Pure. */
  readonly judge: (facts: Facts) => Finding;
}

export const passed = (found: string): Finding => ({ status: 'ok', found, remedy: null });

export const warning = (found: string, text: string, ...lines: readonly string[]): Finding => ({
  status: 'warn',
  found,
  remedy: { text, lines },
});

export const failure = (found: string, text: string, ...lines: readonly string[]): Finding => ({
  status: 'fail',
  found,
  remedy: { text, lines },
});

function whyMissing({ reason, call, text }: MissingFact): string {
  if (reason === 'unauthenticated') {
    return 'Not checked: the credentials are not accepted.';
  }
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  return reason === 'not called' ? `Not checked: ${sentence}` : `${call} failed: ${sentence}`;
}

/** The finding of a check that could not be made. */
export const notKnown = (found: string, remedy: Remedy | null = null): Finding => ({
  status: 'unknown',
  found,
  remedy,
});

/** The finding where what is judged is not known. */
export function unknown(missing: MissingFact): Finding {
  const found = whyMissing(missing);
  if (missing.remedy === null || missing.reason === 'unauthenticated') {
    return notKnown(found);
  }
  return notKnown(found, { text: missing.remedy, lines: [] });
}

/** Judges a fact. */
export const known = <T>(fact: Fact<T>, judge: (value: T) => Finding): Finding =>
  fact.ok ? judge(fact.value) : unknown(fact.error);

/** Passes where nothing of a kind was found, and judges it otherwise. */
export const passedIfNone = <T>(items: readonly T[], none: string, judge: (items: readonly T[]) => Finding): Finding =>
  items.length === 0 ? passed(none) : judge(items);

/** Judges a cluster that exists. */
export const ofCluster = ({ cluster, settings }: Facts, judge: (cluster: EksCluster) => Finding): Finding =>
  known(cluster, (value) => mapOptional(value, judge) ?? notKnown(`There is no cluster ${settings.cluster}.`));

/** The region for commands: a placeholder where it is not known. */
export const regionOf = ({ region }: Pick<Facts, 'region'>): string => factOr(region, 'REGION');

/** The first names, and the number of the others. */
export const some = (names: readonly string[], most = 5): string => firstNames(names, most);
