import { effectOnce } from './effect-once.ts';
import type { Invariant } from './invariant.ts';
import { loweredWithCare } from './lowered-with-care.ts';
import { noBugs } from './no-bugs.ts';
import { nothingInVain } from './nothing-in-vain.ts';
import { recovers } from './recovers.ts';
import { sizesInBounds } from './sizes-in-bounds.ts';
import { stateBounded } from './state-bounded.ts';

/** What must hold in every run. */
export const INVARIANTS: readonly Invariant[] = [
  sizesInBounds,
  effectOnce,
  loweredWithCare,
  nothingInVain,
  stateBounded,
  noBugs,
  recovers,
];
