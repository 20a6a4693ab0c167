import { isSizeBeingSet } from '@outrigger/core/actuation/next-intents.ts';
import { asTermination, type DrainEffect, type EffectResults } from '@outrigger/core/drain/effects.ts';
import { HELD_UP, isVerdict } from '@outrigger/core/drain/evictions.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import type { EvictOutcome, TerminateOutcome, WriteOutcome } from '@outrigger/core/model/answers.ts';
import type { DrainRun, DrainServices } from '../shared/services.ts';

/**
 * Makes the effects of one step, in order. Evictions, too, go one after another: some twenty milliseconds each, and the
 * replacement of the first pod is scheduled first. If the API server does not answer an eviction, the others wait as
 * well. An effect that fails without an answer is left out of the results: it may have happened.
 */
export async function performEffects(
  { services, cluster, signal }: DrainRun,
  effects: readonly DrainEffect[],
): Promise<EffectResults> {
  const evictions: Record<string, EvictOutcome> = {};
  let changeNode: WriteOutcome | null = null;
  let terminate: TerminateOutcome | null = null;
  let isHeldUp = false;

  for (const effect of effects) {
    if (effect.kind === 'changeNode') {
      const { node, uid, change } = effect;
      changeNode = await answer(services, `changing node ${node}`, () =>
        cluster.writer.changeNode(node, uid, change, signal),
      );
    } else if (effect.kind === 'terminate') {
      const { group, instance, decrement } = effect;
      // The drain has stored the request to terminate the instance, which `setSize` reads: of the two, at least one
      // sees the other, and waits. Otherwise a size that counts the instance would be set after its termination.
      terminate = await answer(services, `terminating ${instance} of ${group}`, async (): Promise<TerminateOutcome> => {
        if (isSizeBeingSet(await services.store.pendingIntents(cluster.name, signal), group, services.now())) {
          const message = `the size of ${group} is being set`;
          return { kind: 'failed', class: 'Throttled', code: 'SizeBeingSet', message };
        }
        return await cluster.groups.terminate(group, instance, decrement, signal);
      });
    } else if (effect.kind === 'completeHook' || effect.kind === 'heartbeat') {
      const { kind, group, instance, hook } = effect;
      const outcome = await answer(services, `${kind} of ${hook.name} for ${instance} of ${group}`, async () =>
        // A cloud without hooks has no waiting hook.
        asTermination((await cluster.terminations?.[kind](group, instance, hook, signal)) ?? { kind: 'gone' }),
      );
      terminate = kind === 'completeHook' ? outcome : terminate;
    } else if (effect.kind === 'evict') {
      const { pod, graceSeconds, inOrder } = effect;
      const what = `evicting pod ${pod.namespace}/${pod.name}`;
      const outcome: EvictOutcome | null =
        isHeldUp && inOrder === true
          ? HELD_UP
          : await answer(services, what, () => cluster.writer.evict(pod, graceSeconds, signal));
      isHeldUp ||= !isVerdict(outcome);
      if (outcome !== null) {
        evictions[pod.uid] = outcome;
      }
    }
  }
  await Promise.all(
    effects.map(async (effect) => {
      if (effect.kind === 'recordEvent') {
        await answer(services, 'recording an event', () => cluster.writer.recordEvent(effect.event, signal));
      }
    }),
  );
  return { changeNode, evictions, terminate };
}

async function answer<T>(services: DrainServices, what: string, ask: () => Promise<T>): Promise<T | null> {
  try {
    return shortened(await ask());
  } catch (error) {
    services.log.warn(`No answer to ${what}; the next step finds out whether it has happened`, { error });
    return null;
  }
}

/** Results are stored between steps: long messages are cut. */
function shortened<T>(outcome: T): T {
  const { message } = (outcome ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? { ...outcome, message: clip(message) } : outcome;
}
