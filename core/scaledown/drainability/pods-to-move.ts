import { isDaemon, isFinished, type Pod } from '../../model/cluster/pod.ts';
import { drainabilityOf } from './drainability.ts';
import type { Block, DrainContext } from './rule.ts';

/** How a node's pods affect its removal. */
export type PodsToMove =
  | {
      readonly kind: 'Drainable';
      /** Pods that need a new place. */
      readonly move: readonly Pod[];
      /** Pods that the node must wait for; they need no new place. */
      readonly waiting: readonly Pod[];
    }
  | (Omit<Block, 'kind'> & { readonly kind: 'Blocked'; readonly pod: Pod });

/** Sorts the pods of one node by the effect of its removal. The first pod that blocks ends the search. */
export function podsToMove(pods: readonly Pod[], context: DrainContext): PodsToMove {
  const move: Pod[] = [];
  const waiting: Pod[] = [];
  for (const pod of pods) {
    const drainability = drainabilityOf(pod, context);
    switch (drainability.kind) {
      case 'Block':
        return { ...drainability, kind: 'Blocked', pod };
      case 'Wait':
        waiting.push(pod);
        break;
      case 'DrainOk':
        // Pods of a DaemonSet end with the node.
        if (!isDaemon(pod) && !isFinished(pod)) {
          move.push(pod);
        }
        break;
      case 'Move':
        move.push(pod);
        break;
      case 'Skip':
        break;
    }
  }
  return { kind: 'Drainable', move, waiting };
}
