import { present } from '../model/values/present.ts';
import { type Drain, drainId } from '../model/drain.ts';
import type { NodeToRemove, RemoveNodesIntent } from '../model/intent.ts';
import type { EpochMs } from '../model/values/time.ts';

/** The beginning of a node's way out, as an intent has it. Its times count from now, however old the intent is. */
export const newDrain = (
  { id, group }: Pick<RemoveNodesIntent, 'id' | 'group'>,
  { node, uid, instance, kind, together, notice }: NodeToRemove,
  now: EpochMs,
): Drain => ({
  id: drainId(id, node),
  node,
  nodeUid: uid,
  group,
  instance,
  kind,
  phase: 'Tainting',
  createdAt: now,
  phaseSince: now,
  nextAt: now,
  taintAskedAt: null,
  evictions: [],
  terminateAskedAt: null,
  waitingFor: null,
  outcome: null,
  ...present({ together, notice }),
});
