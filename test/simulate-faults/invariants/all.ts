import { allOrNothing } from './all-or-nothing.ts';
import { budgetsKept } from './budgets-kept.ts';
import { commandsWithinBudgets } from './commands-within-budgets.ts';
import { decidedFrom } from './decided-from.ts';
import { disruptionsWithinBudgets } from './disruptions-within-budgets.ts';
import { drainsEnd } from './drains-end.ts';
import { effectOnce } from './effect-once.ts';
import { endedWithCare } from './ended-with-care.ts';
import { evictedFindPlaces } from './evicted-find-places.ts';
import { filledByAge } from './filled-by-age.ts';
import { givenUp } from './given-up.ts';
import { heldNodesOpen } from './held-nodes-open.ts';
import { hooksCompleted } from './hooks-completed.ts';
import type { Invariant } from './invariant.ts';
import { keptPodsStay } from './kept-pods-stay.ts';
import { limitsKept } from './limits-kept.ts';
import { loweredWithCare } from './lowered-with-care.ts';
import { marksTakenBack } from './marks-taken-back.ts';
import { movedOnce } from './moved-once.ts';
import { noBugs } from './no-bugs.ts';
import { nominationsHold } from './nominations-hold.ts';
import { noticesAnswered } from './notices-answered.ts';
import { onlyAnnouncedLeave } from './only-announced-leave.ts';
import { onlyMarkedGo } from './only-marked-go.ts';
import { placedAsAsked } from './placed-as-asked.ts';
import { recovers } from './recovers.ts';
import { schedulesKept } from './schedules-kept.ts';
import { shortageRemembered } from './shortage-remembered.ts';
import { shrinks } from './shrinks.ts';
import { sizesInBounds } from './sizes-in-bounds.ts';
import { stateBounded } from './state-bounded.ts';
import { volumesDetached } from './volumes-detached.ts';

/** What must hold in every run. */
export const INVARIANTS: readonly Invariant[] = [
  sizesInBounds,
  effectOnce,
  decidedFrom,
  givenUp,
  loweredWithCare,
  limitsKept,
  allOrNothing,
  budgetsKept,
  keptPodsStay,
  disruptionsWithinBudgets,
  commandsWithinBudgets,
  movedOnce,
  endedWithCare,
  volumesDetached,
  stateBounded,
  noBugs,
  noticesAnswered,
  onlyAnnouncedLeave,
  hooksCompleted,
  shortageRemembered,
  schedulesKept,
  filledByAge,
  heldNodesOpen,
  nominationsHold,
  drainsEnd,
  recovers,
  shrinks,
  evictedFindPlaces,
  placedAsAsked,
  onlyMarkedGo,
  marksTakenBack,
];
