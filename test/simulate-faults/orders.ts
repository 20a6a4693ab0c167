import type { Intent } from '../../core/model/intent.ts';
import type { InstanceId } from '../../core/model/values/names.ts';

/**
 * What has been ordered and not ended yet, from the commits and ends themselves: whatever the store makes of them, and
 * whatever the functions remember.
 */
export interface Orders {
  readonly committed: (intents: readonly Intent[]) => void;
  readonly ended: (id: string) => void;
  /** The store has lost all of them: none will be carried out. */
  readonly lost: () => void;
  readonly open: () => readonly Intent[];
  /** How often the removal of an instance has been ordered. */
  readonly removalsOf: (instance: InstanceId) => number;
}

export function recordOrders(): Orders {
  const open = new Map<string, Intent>();
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
    lost: () => open.clear(),
    open: () => [...open.values()],
    removalsOf: (instance) => removals.get(instance) ?? 0,
  };
}
