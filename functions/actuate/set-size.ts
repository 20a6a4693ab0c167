import { type Drain, hasEnded } from '../../core/model/drain.ts';
import type { GroupSize, SetSizeIntent } from '../../core/model/ports.ts';
import { type EpochMs, minutes } from '../../core/model/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { failed, isUncertain, type Outcome, persistently } from './outcome.ts';

/**
 * Sets a size that was decided, if the group still has the size that it was decided from.
 *
 * @param overtaken it is not to be made any more (`isOvertaken`); one that is made already is done all the same.
 * @param shownAfterMs from a change to the description that shows it.
 */
export async function setSize(
  world: World,
  cluster: Cluster,
  intent: SetSizeIntent,
  overtaken: boolean,
  shownAfterMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const { groups } = cluster;
  const { group, to } = intent;
  let mayBeSet = intent.attempts > 1;
  const end = await persistently(
    world,
    `setting the size of ${group} to ${to}`,
    async () => {
      let seen = await look(world, cluster, intent, signal);
      if (seen.verdict.kind === 'done') {
        // The description may be older than the change before this one, which began where this one is to end.
        await world.sleep(shownAfterMs, signal);
        seen = await look(world, cluster, intent, signal);
      }
      if (seen.drains.some((drain) => isEnding(drain) || mayNotShow(drain, intent))) {
        // A drain is about to take a machine from the group: it looks for claims such as this one before it does. Or it has
        // just done so, and the description is older.
        await world.sleep(shownAfterMs, signal);
        seen = await look(world, cluster, intent, signal);
      }
      const { verdict, drains } = seen;
      if (verdict.kind === 'set' && overtaken) {
        return { kind: 'refused' as const, reason: 'the group has failed since, and its pods are planned anew' };
      }
      if (verdict.kind === 'set' && mayBeSet && hasShrunk(drains, intent, world.now())) {
        const reason = 'it may have been set before machines of the group were ended: its pods are planned anew';
        return { kind: 'refused' as const, reason };
      }
      mayBeSet = true;
      return verdict.kind === 'set' ? await groups.setSize(group, to, signal) : verdict;
    },
    signal,
  );
  switch (end.kind) {
    case 'set':
      return { status: 'done', message: 'the cloud was asked', failure: null };
    case 'failed':
      return isUncertain(end) && (await isSet(world, groups, intent, shownAfterMs, signal))
        ? { status: 'done', message: 'the cloud was asked, and has done it without saying so', failure: null }
        : failed(end);
    case 'done':
    case 'refused':
      return { status: end.kind, message: end.reason, failure: null };
  }
}

/** Hosts' clocks are no further apart. */
const SKEW = minutes(1);
/** Drains are remembered for ten minutes after their end. */
const REMEMBERED = minutes(8);

/** What a try goes by: may the size be set, and if so, which drains of the group have asked for a machine's end? */
interface Look {
  readonly verdict: Verdict;
  readonly drains: readonly Drain[];
}

/** The drains are read after the size: what one is about to ask for is in the store before it is asked for. */
async function look(
  world: World,
  { name, groups }: Cluster,
  intent: SetSizeIntent,
  signal: AbortSignal,
): Promise<Look> {
  const { group } = intent;
  const verdict = judge(intent, await groups.readSize(group, signal));
  const stored = verdict.kind === 'set' ? await world.drains.list(name, signal) : [];
  const drains = stored.map(({ drain }) => drain);
  return { verdict, drains: drains.filter((drain) => drain.group === group && drain.terminateAskedAt !== null) };
}

const isEnding = (drain: Drain): boolean => !hasEnded(drain);

/** Has it taken a machine from the group since the size was decided, which is then that of one machine more? */
const mayNotShow = ({ phase, terminateAskedAt }: Drain, { createdAt }: SetSizeIntent): boolean =>
  phase === 'Removed' && terminateAskedAt !== null && terminateAskedAt > createdAt - SKEW;

/**
 * May a drain have taken a machine from the group since the size was decided? A group that has grown and shrunk has the
 * size that it was decided from, and would grow a second time.
 */
const hasShrunk = (drains: readonly Drain[], { createdAt }: SetSizeIntent, now: EpochMs): boolean =>
  now - createdAt > REMEMBERED || drains.some(({ terminateAskedAt }) => terminateAskedAt! > createdAt - SKEW);

/** One more look, after the last try: a size that is set is not to be bought elsewhere as well. */
async function isSet(
  world: World,
  groups: Cluster['groups'],
  { group, to }: SetSizeIntent,
  shownAfterMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  await world.sleep(shownAfterMs, signal);
  return (await groups.readSize(group, signal))?.target === to;
}

type Verdict = { readonly kind: 'set' } | { readonly kind: 'done' | 'refused'; readonly reason: string };

/** May this size be set, given what the group's sizes are now? */
export function judge({ from, to }: Pick<SetSizeIntent, 'from' | 'to'>, size: GroupSize | null): Verdict {
  if (size === null) {
    return { kind: 'refused', reason: 'the group is gone' };
  }
  if (size.target === to) {
    return { kind: 'done', reason: 'that is the target already' };
  }
  if (size.target !== from) {
    return { kind: 'refused', reason: `the target is now ${size.target}, decided from ${from}` };
  }
  if (to > size.max) {
    return { kind: 'refused', reason: `the maximum is now ${size.max}, decided ${to}` };
  }
  if (to < from && to < size.min) {
    return { kind: 'refused', reason: `the minimum is now ${size.min}, decided ${to}` };
  }
  if (to < from && to < size.held) {
    return { kind: 'refused', reason: `${size.held} machines are there now, decided ${to}: one of them would end` };
  }
  return { kind: 'set' };
}
