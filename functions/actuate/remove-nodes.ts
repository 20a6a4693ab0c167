import { newDrain } from '../../core/drain/new-drain.ts';
import type { RemoveNodesIntent } from '../../core/model/intent.ts';
import { addTime, minutes, seconds } from '../../core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { type Outcome, refused } from './outcome.ts';

/** What was found unneeded then may be needed now: what is older is decided anew. */
const VALID_FOR = minutes(3);
/** A driver takes all of its drains a step further within the time of one. */
const EMPTY_TOGETHER = 50;
/** A driver that has not written anything by then did not start. */
export const START = seconds(60);

/**
 * Starts a drain for each node: one driver for many that are empty, one for each other. What is in the store is going to
 * be driven to its end, whatever becomes of this process: the schedule looks for drains without a driver.
 */
export async function removeNodes(
  world: World,
  cluster: Cluster,
  intent: RemoveNodesIntent,
  signal: AbortSignal,
): Promise<Outcome> {
  const now = world.now();
  if (now - intent.createdAt > VALID_FOR) {
    return refused('it was decided too long ago');
  }
  const drains = intent.nodes.map((node) => newDrain(intent, node, now));
  for (const drain of drains) {
    await world.drains.create(cluster.name, { drain, attempt: 1, drivenUntil: addTime(now, START) }, signal);
  }
  const empty = drains.filter(({ kind }) => kind === 'empty').map(({ id }) => id);
  const single = drains.filter(({ kind }) => kind === 'drain').map(({ id }) => [id]);
  for (const ids of [...chunksOf(empty, EMPTY_TOGETHER), ...single]) {
    await world.startDrains(cluster.name, ids, 1);
  }
  return { status: 'done', message: 'the nodes are on their way out', failure: null };
}

const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
