import type { ObservedKind } from './kinds.ts';
import type { Page } from './page.ts';

/** The objects of one kind. */
export interface Part {
  readonly kind: ObservedKind;
  readonly page: Page;
}
