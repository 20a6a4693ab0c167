import type { ObservedKind } from './kinds.ts';
import type { Page } from './json-page.ts';
import type { Observed } from './observed.ts';

/** The objects of one kind. */
export interface Part {
  readonly kind: ObservedKind;
  readonly page: Page<Observed>;
  /** Number of objects that differed in the kept list from this full page; absent: none. */
  readonly differing?: number;
}
