import type { Intent } from '../../../core/model/ports.ts';
import { pendingOf } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * Every change of a target is one that was decided, and each decided change is made once at most: a size is changed
 * once by the intent that names it, and machines are taken from a target once each.
 */
export const effectOnce: Invariant = {
  name: 'every intent takes effect at most once',
  watch: ({ remembered }, violate) => {
    const effects = new Map<string, number>();
    return {
      event: (event) => {
        if (event.kind !== 'SizeSet' || event.from === event.to) {
          return;
        }
        const { group, from, to } = event;
        const pending = pendingOf(group, remembered()?.intents ?? []);
        const meant = pending.filter((intent) => mayMake(intent, from, to));
        const intent = meant.find(({ id }) => (effects.get(id) ?? 0) < timesOf(meant.find((one) => one.id === id)!));
        if (intent === undefined) {
          violate(
            meant.length > 0
              ? `${group} goes from ${from} to ${to}: intent ${meant[0]!.id} has been carried out already`
              : `${group} goes from ${from} to ${to}, which no open intent asks for (open: ${pending.map(({ id }) => id).join(', ') || 'none'})`,
          );
          return;
        }
        effects.set(intent.id, (effects.get(intent.id) ?? 0) + 1);
      },
    };
  },
};

const mayMake = (intent: Intent, from: number, to: number): boolean =>
  intent.kind === 'SetSize' ? intent.to === to : intent.kind === 'DeleteInstances' && to === from - 1;

const timesOf = (intent: Intent): number => (intent.kind === 'DeleteInstances' ? intent.instances.length : 1);
