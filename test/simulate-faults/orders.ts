import type { Intent } from '../../core/model/intent.ts';
import { type EpochMs, minutes } from '../../core/model/values/time.ts';
import type { InstanceId } from '../../core/model/values/names.ts';

/** A function that carries something out has ended by then. */
const IN_HAND = minutes(1);

/**
 * Orders that have not ended yet, from the commits and ends themselves: whatever the store makes of them, and
 * whatever the functions remember.
 */
export interface Orders {
  readonly committed: (intents: readonly Intent[]) => void;
  readonly ended: (id: string) => void;
  /** The store has lost all of them: none will be carried out. */
  readonly lost: (now: EpochMs) => void;
  readonly open: () => readonly Intent[];
  /** Open orders, and orders lost so lately that a function may still have them in hand. */
  readonly inHand: (now: EpochMs) => readonly Intent[];
  /** When all was last lost; before all time where it never was. */
  readonly lostAt: () => number;
  /** How often the removal of an instance has been ordered. */
  readonly removalsOf: (instance: InstanceId) => number;
}

export function recordOrders(): Orders {
  const open = new Map<string, Intent>();
  let lost: { readonly at: number; readonly intents: readonly Intent[] } = {
    at: Number.NEGATIVE_INFINITY,
    intents: [],
  };
  const removals = new Map<InstanceId, number>();
  return {
    committed: (intents) => {
      for (const intent of intents) {
        open.set(intent.id, intent);
        for (const { instance } of intent.kind === 'RemoveNodes' ? intent.nodes : []) {
          removals.set(instance, (removals.get(instance) ?? 0) + 1);
        }
      }
    },
    ended: (id) => {
      open.delete(id);
    },
    lost: (now) => {
      lost = { at: now, intents: [...open.values()] };
      open.clear();
    },
    inHand: (now) => [...open.values(), ...(now - lost.at < IN_HAND ? lost.intents : [])],
    lostAt: () => lost.at,
    open: () => [...open.values()],
    removalsOf: (instance) => removals.get(instance) ?? 0,
  };
}
