import type { ObservedKind } from './kinds.ts';
import type { Page } from './json-page.ts';
import type { ObservedObject } from './observed.ts';

/** The objects of one kind. */
export interface Part {
  readonly kind: ObservedKind;
  readonly page: Page<ObservedObject>;
  /** Number of objects that differed in the cached list from this full page; absent: none. */
  readonly differing?: number;
}
