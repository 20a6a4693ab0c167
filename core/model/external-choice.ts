import type { GroupName } from './values/names.ts';

/** An option of a choice, by what tells it from the options of other choices. */
export interface AskedOption {
  readonly group: GroupName;
  readonly nodes: number;
  readonly pods: number;
}

/** The answer of the function behind the expander `external` to one choice. */
export interface ExternalChoice {
  readonly options: readonly AskedOption[];
  /** The groups that the function prefers; none where it gave no usable answer. */
  readonly chosen: readonly GroupName[];
  /** Why there is no usable answer, in words; `null` where there is one. */
  readonly error: string | null;
}
