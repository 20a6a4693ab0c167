import type { InstanceId } from '../../../core/model/values/names.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { pendingOf } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * Every change of a target is one that was decided, and each decided change is made once at most: a size is changed once
 * by the intent that names it, and an instance is taken from a target once by the intent that names it, or by its drain once
 * that has come so far.
 */
export const effectOnce: Invariant = {
  name: 'every intent takes effect at most once',
  // A claim that another host's clock takes to be over is taken twice.
  assumes: ['skew'],
  watch: ({ orders, drains }, violate) => {
    const effects = new Map<string, number>();
    let lostAt = orders.lostAt();
    const note = (id: string): unknown => effects.set(id, (effects.get(id) ?? 0) + 1);
    let ending: InstanceId | null = null;
    return {
      event: (event) => {
        if (orders.lostAt() !== lostAt) {
          // Versions begin anew, and the names of intents with them.
          lostAt = orders.lostAt();
          effects.clear();
        }
        const isBack = event.kind === 'TerminationUndone' || event.kind === 'ReturnedToWarmPool';
        // Or another one went in its place, since another client had taken its mark off.
        if (isBack || event.kind === 'TerminationMissed') {
          effects.delete(event.instance);
          return;
        }
        if (event.kind === 'SizeSetElsewhere') {
          // Another client has taken it back. As long as it is not known to have been made, it is made again.
          pendingOf(event.group, orders.inHand(event.at))
            .filter((one) => one.kind === 'SetSize' && one.to === event.from && one.from === event.to)
            .forEach(({ id }) => effects.delete(id));
          return;
        }
        if (event.kind === 'InstanceTerminated' && event.decrement) {
          ending = event.instance;
          return;
        }
        const instance = ending;
        ending = null;
        if (event.kind !== 'SizeSet' || event.from === event.to) {
          return;
        }
        const { group, from, to } = event;
        const drain = drains().find(
          ({ drain: one }) => one.instance === instance && one.phase === 'Terminating' && one.terminateAskedAt !== null,
        )?.drain;
        if (instance !== null && drain !== undefined && to === from - 1) {
          if (effects.has(instance)) {
            violate(`${group} goes from ${from} to ${to}: ${instance} has been taken from it already`);
          }
          if (orders.removalsOf(instance) === 0) {
            violate(`${group} goes from ${from} to ${to}: nobody has ordered the removal of ${instance}`);
          }
          note(instance);
          return;
        }
        const pending = pendingOf(group, orders.inHand(event.at));
        const meant = pending.filter((intent) => mayMake(intent, to, instance));
        const intent = meant.find((one) => (effects.get(one.id) ?? 0) < timesOf(one));
        if (intent === undefined) {
          violate(
            meant.length > 0
              ? `${group} goes from ${from} to ${to}: intent ${meant[0]!.id} has been carried out already`
              : `${group} goes from ${from} to ${to}${instance === null ? '' : ` without ${instance}`}, which no open intent ` +
                  `and no drain asks for (open: ${pending.map(({ id }) => id).join(', ') || 'none'})`,
          );
          return;
        }
        note(intent.id);
      },
    };
  },
};

/** @param instance that is ended with the change; `null`: none, a size is set. */
function mayMake(intent: Intent, to: number, instance: InstanceId | null): boolean {
  return intent.kind === 'SetSize'
    ? instance === null && intent.to === to
    : intent.kind === 'DeleteInstances' && instance !== null && intent.instances.includes(instance);
}

const timesOf = (intent: Intent): number => (intent.kind === 'DeleteInstances' ? intent.instances.length : 1);
