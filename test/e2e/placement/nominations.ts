import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { rbac } from '../../../providers/kubernetes/manifests/rbac.ts';
import type { E2eCluster } from '../cluster.ts';

/** Tags of groups whose nodes register with the taint. */
export const REGISTERS_CLOSED: Readonly<Record<string, string>> = {
  [`k8s.io/cluster-autoscaler/node-template/taint/${AWAITING_PODS_TAINT}`]: ':NoSchedule',
};

/** Gives `outrigger local` the right that the option takes. */
export async function allowNominations({ kube, name: cluster }: E2eCluster): Promise<void> {
  const [role, binding] = rbac(undefined, false, undefined, { plannedPlacement: true }).items;
  const rules = role.rules.filter(({ resources }) => (resources as readonly string[]).includes('pods/status'));
  expect(rules).toHaveLength(1);
  const api = '/apis/rbac.authorization.k8s.io/v1';
  const name = `nominations-${cluster}`;
  await kube.create(`${api}/clusterroles`, { metadata: { name }, rules });
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'outrigger' }];
  await kube.create(`${api}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { ...binding.roleRef, name },
    subjects,
  });
}

/** Notes the node that each pod was nominated to last, until stopped. */
export function recordNominated({ kube, name }: E2eCluster) {
  const to = new Map<string, string>();
  const stop = new AbortController();
  const note = (pods: readonly V1Pod[]): boolean => {
    for (const { metadata, status } of pods) {
      if (status?.nominatedNodeName !== undefined) to.set(metadata?.name ?? '', status.nominatedNodeName);
    }
    return false;
  };
  kube.watch<V1Pod>(`/api/v1/namespaces/${name}/pods`, note, stop.signal).catch(() => undefined);
  return {
    to,
    stop: () => stop.abort(),
    /** The pods that run where they were nominated to. */
    asPlanned: (running: readonly V1Pod[]): number =>
      running.filter(({ metadata, spec }) => to.get(metadata?.name ?? '') === spec?.nodeName).length,
  };
}
