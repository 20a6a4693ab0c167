import type { Taint } from '../model/cluster/node.ts';
import type { Toleration } from '../model/cluster/pod.ts';

/**
 * Does this toleration tolerate that taint? An empty effect or key matches all, an empty operator means Equal.
 * Follows `Toleration.ToleratesTaint` of k8s.io/api, 1.35 (without the alpha comparison operators).
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) {
    return false;
  }
  if (toleration.key !== '' && toleration.key !== taint.key) {
    return false;
  }
  switch (toleration.operator) {
    case '':
    case 'Equal':
      return toleration.value === taint.value;
    case 'Exists':
      return true;
    default:
      return false;
  }
}

/** Taints that keep pods away: `PreferNoSchedule` only advises. */
export const repels = (taint: Taint): boolean => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';

/** Does a pod with these tolerations bear all taints that keep pods away? */
export function toleratesAll(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  for (const taint of taints) {
    if (repels(taint) && !tolerations.some((toleration) => tolerates(toleration, taint))) {
      return false;
    }
  }
  return true;
}
