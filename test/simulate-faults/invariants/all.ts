import { backoffKept } from './backoff-kept.ts';
import { budgetsKept } from './budgets-kept.ts';
import { buffersHeld } from './buffers-held.ts';
import { consolidationSaves } from './consolidation-saves.ts';
import { decidedFrom } from './decided-from.ts';
import { disruptionsWithinBudgets } from './disruptions-within-budgets.ts';
import { drainsEnd } from './drains-end.ts';
import { effectOnce } from './effect-once.ts';
import { endedWithCare } from './ended-with-care.ts';
import { evictionsOrdered } from './evictions-ordered.ts';
import { evictionsRemembered } from './evictions-remembered.ts';
import { givenUp } from './given-up.ts';
import { heldNodesOpen } from './held-nodes-open.ts';
import { hooksCompleted } from './hooks-completed.ts';
import type { Invariant } from './invariant.ts';
import { keptPodsStay } from './kept-pods-stay.ts';
import { limitsKept } from './limits-kept.ts';
import { messagesOnce } from './messages-once.ts';
import { noBugs } from './no-bugs.ts';
import { nominationsHold } from './nominations-hold.ts';
import { nothingBoughtTwice } from './nothing-bought-twice.ts';
import { noticesAnswered } from './notices-answered.ts';
import { onlyAnnouncedLeave } from './only-announced-leave.ts';
import { onlyMarkedGo } from './only-marked-go.ts';
import { recovers } from './recovers.ts';
import { reservationsKept } from './reservations-kept.ts';
import { schedulesKept } from './schedules-kept.ts';
import { shrinks } from './shrinks.ts';
import { sizesInBounds } from './sizes-in-bounds.ts';
import { stateBounded } from './state-bounded.ts';
import { storedFirst } from './stored-first.ts';
import { taintsTakenBack } from './taints-taken-back.ts';
import { volumesDetached } from './volumes-detached.ts';

/** Conditions that must hold in every run. */
export const INVARIANTS: readonly Invariant[] = [
  sizesInBounds,
  effectOnce,
  nothingBoughtTwice,
  decidedFrom,
  backoffKept,
  givenUp,
  limitsKept,
  budgetsKept,
  keptPodsStay,
  disruptionsWithinBudgets,
  consolidationSaves,
  endedWithCare,
  evictionsOrdered,
  evictionsRemembered,
  volumesDetached,
  stateBounded,
  noBugs,
  noticesAnswered,
  onlyAnnouncedLeave,
  hooksCompleted,
  schedulesKept,
  buffersHeld,
  reservationsKept,
  heldNodesOpen,
  nominationsHold,
  drainsEnd,
  storedFirst,
  taintsTakenBack,
  recovers,
  shrinks,
  onlyMarkedGo,
  messagesOnce,
];
