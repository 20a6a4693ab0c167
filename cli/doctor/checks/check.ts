import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { Fact, MissingFact } from '../facts/fact.ts';
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
  return reason === 'not called' ? `Not checked: ${sentence(text)}` : `${call} failed: ${sentence(text)}`;
}

/** The finding where what is judged is not known. */
export const unknown = (missing: MissingFact): Finding => ({
  status: 'unknown',
  found: whyMissing(missing),
  remedy: missing.remedy === null || missing.reason === 'unauthenticated' ? null : { text: missing.remedy, lines: [] },
});

/** Judges a fact. */
export const known = <T>(fact: Fact<T>, judge: (value: T) => Finding): Finding =>
  fact.ok ? judge(fact.value) : unknown(fact.error);

/** Judges a cluster that exists. */
export const ofCluster = ({ cluster, settings }: Facts, judge: (cluster: EksCluster) => Finding): Finding =>
  known(cluster, (value) =>
    value === null
      ? { status: 'unknown', found: `There is no cluster ${settings.cluster}.`, remedy: null }
      : judge(value),
  );

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The region for commands: a placeholder where it is not known. */
export const regionOf = ({ region }: Facts): string => (region.ok ? region.value : 'REGION');

/** The first names, and the number of the others. */
export const some = (names: readonly string[], most = 5): string => firstNames(names, most);
