import type { V1Pod } from '@kubernetes/client-node';
import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { followChanges } from '../changes.ts';
import type { E2eCluster } from '../cluster.ts';

/** Tags of groups whose nodes register with the taint. */
export const REGISTERS_CLOSED: Readonly<Record<string, string>> = {
  [`k8s.io/cluster-autoscaler/node-template/taint/${AWAITING_PODS_TAINT}`]: ':NoSchedule',
};

/** Notes the node that each pod was nominated to last, until stopped. */
export function recordNominated({ kube, name }: E2eCluster) {
  const to = new Map<string, string>();
  const stop = followChanges<V1Pod>(kube, `/api/v1/namespaces/${name}/pods`, (pods) => {
    for (const { metadata, status } of pods) {
      if (status?.nominatedNodeName !== undefined) to.set(metadata?.name ?? '', status.nominatedNodeName);
    }
  });
  return {
    to,
    stop,
    /** The pods that run where they were nominated to. */
    asPlanned: (running: readonly V1Pod[]): number =>
      running.filter(({ metadata, spec }) => to.get(metadata?.name ?? '') === spec?.nodeName).length,
  };
}
