import type { ObservedKind } from './kinds.ts';
import type { Page } from './json-page.ts';
import type { Observed } from './observed.ts';

/** The objects of one kind. */
export interface Part {
  readonly kind: ObservedKind;
  readonly page: Page<Observed>;
  /** Number of objects that a kept list had otherwise than this page, which is a full one; absent: none. */
  readonly differing?: number;
}
