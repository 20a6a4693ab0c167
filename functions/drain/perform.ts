import type { DrainEffect, EffectResults } from '../../core/drain/effects.ts';
import { clip } from '../../core/model/values/clip.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import type { EvictOutcome, TerminateOutcome, WriteOutcome } from '../../core/model/answers.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Makes the effects of one step, in order. Evictions, too, go one after another: some twenty milliseconds each, and what
 * takes the place of the first is scheduled first. What fails without an answer is left out of the results: it may have
 * happened.
 */
export async function perform(
  world: World,
  cluster: Cluster,
  effects: readonly DrainEffect[],
  signal: AbortSignal,
): Promise<EffectResults> {
  const evictions: Record<string, EvictOutcome> = {};
  let changeNode: WriteOutcome | null = null;
  let terminate: TerminateOutcome | null = null;

  for (const effect of effects) {
    if (effect.kind === 'changeNode') {
      const { node, uid, change } = effect;
      changeNode = await answer(world, `changing node ${node}`, () =>
        cluster.writer.changeNode(node, uid, change, signal),
      );
    } else if (effect.kind === 'terminate') {
      const { group, instance } = effect;
      terminate = await answer(world, `ending ${instance} of ${group}`, async () =>
        (await isSizeBeingSet(world, cluster, group, signal))
          ? { kind: 'failed', class: 'Throttled', code: 'SizeBeingSet', message: `the size of ${group} is being set` }
          : await cluster.groups.terminate(group, instance, true, signal),
      );
    } else if (effect.kind === 'evict') {
      const { pod, graceSeconds } = effect;
      const what = `evicting pod ${pod.namespace}/${pod.name}`;
      const outcome = await answer(world, what, () => cluster.writer.evict(pod, graceSeconds, signal));
      if (outcome !== null) {
        evictions[pod.uid] = outcome;
      }
    }
  }
  await Promise.all(
    effects.map(async (effect) => {
      if (effect.kind === 'recordEvent') {
        await answer(world, 'recording an event', () => cluster.writer.recordEvent(effect.event, signal));
      }
    }),
  );
  return { changeNode, evictions, terminate };
}

/**
 * Whether an intent to set the group's size is claimed. The termination of the instance is in the store by now, and is
 * checked after such a claim: at least one of the two sees the other, and waits. Otherwise a size that was decided from
 * one more instance would be set to the group with one fewer.
 */
async function isSizeBeingSet(
  world: World,
  { name }: Cluster,
  group: GroupName,
  signal: AbortSignal,
): Promise<boolean> {
  const intents = await world.store.pendingIntents(name, signal);
  const now = world.now();
  return intents.some(
    (intent) =>
      intent.kind === 'SetSize' && intent.group === group && intent.claimedUntil !== null && intent.claimedUntil > now,
  );
}

async function answer<T>(world: World, what: string, ask: () => Promise<T>): Promise<T | null> {
  try {
    return shortened(await ask());
  } catch (error) {
    world.log.warn(`No answer to ${what}; the next step looks whether it has happened`, { error });
    return null;
  }
}

/** Results are stored between steps: a message is to be read, not kept whole. */
function shortened<T>(outcome: T): T {
  const { message } = (outcome ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? { ...outcome, message: clip(message) } : outcome;
}
