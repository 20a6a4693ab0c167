import type { KubernetesMinor } from '../../../core/model/cluster/kubernetes-version.ts';
import { ensureServers, type Servers } from './cache.ts';

interface Kubernetes {
  readonly minor: KubernetesMinor;
  readonly server: 'controlPlane' | 'newestControlPlane';
  /** Arguments of each program of the control plane. */
  readonly gates: readonly string[];
  readonly apiServerArgs: readonly string[];
}

/** The versions of Kubernetes that a control plane can be started of. PodGroups are off by default in 1.37. */
export const KUBERNETES = {
  '1.35': { minor: 35, server: 'controlPlane', gates: [], apiServerArgs: [] },
  '1.37': {
    minor: 37,
    server: 'newestControlPlane',
    gates: ['--feature-gates=GenericWorkload=true'],
    apiServerArgs: ['--runtime-config=scheduling.k8s.io/v1beta1=true'],
  },
} as const satisfies Readonly<Record<string, Kubernetes>>;
export type KubernetesVersion = keyof typeof KUBERNETES;
export const isKubernetesVersion = (text: string): text is KubernetesVersion => Object.hasOwn(KUBERNETES, text);

/** The programs of a control plane, and their arguments. */
export type KubernetesServers = Pick<Servers, 'controlPlane' | 'etcd'> & Kubernetes;

/** The programs of a version, built where they are missing. */
export async function kubernetesServers(version: KubernetesVersion): Promise<KubernetesServers> {
  const found = KUBERNETES[version];
  const { etcd, [found.server]: controlPlane } = await ensureServers(['etcd', found.server]);
  return { ...found, etcd, controlPlane };
}
