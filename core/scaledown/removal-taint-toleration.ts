import { removalTaint } from '../model/cluster/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { epochMs } from '../model/values/time.ts';
import { tolerates } from '../scheduling/tolerations.ts';

/** Are pods of this kind placed after all other pods of a node to remove, on the capacity left by these? */
export type RemovalTaintToleration = (kind: Pick<PodKind, 'spec'>) => boolean;

/**
 * Tells the pods that tolerate the taint of the removal: the shared taint says that such pods may stay until the
 * instance ends, and past Cluster Autoscaler's taint kube-scheduler may put them back on the node.
 */
export function removalTaintToleration({ options }: Pick<Scenario, 'options'>): RemovalTaintToleration {
  const taint = removalTaint(options, ANY_TIME);
  return ({ spec }) => spec.tolerations.some((toleration) => tolerates(toleration, taint));
}

/** The time in the value of a taint decides nothing: a toleration of one time is for no other removal. */
const ANY_TIME = epochMs(0);
