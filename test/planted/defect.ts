import type { ProviderName } from '../../core/model/provider.ts';

/** A text of a source file, which must be there exactly once, and what is there instead while the defect is planted. */
export interface Place {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A defect that checks have to find. */
export interface Defect {
  readonly id: string;
  /** The fault, in words. */
  readonly what: string;
  readonly places: readonly Place[];
  /** Folders and files of tests that may see it. */
  readonly tests: readonly string[];
  /** Present where a simulation has to find it: the fault simulation, or the one with hostile objects. */
  readonly simulation?: FaultRuns | 'hostile';
}

export interface FaultRuns {
  readonly provider: ProviderName;
  /** Options that every run has; none is as every change is checked. */
  readonly draw: readonly string[];
}

export const at = (file: string, find: string, replace: string): Place => ({ file, find, replace });
