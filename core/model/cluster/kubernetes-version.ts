/** A minor version of Kubernetes: 36 is 1.36. */
export type KubernetesMinor = number;

/** The oldest and the newest version whose kube-scheduler is followed. Other versions follow the nearer of the two. */
export const OLDEST_MINOR: KubernetesMinor = 33;
export const NEWEST_MINOR: KubernetesMinor = 37;

/** The version whose kube-scheduler is followed where the version of the API server is unknown. */
export const DEFAULT_MINOR: KubernetesMinor = 36;

/** The version of a cluster's kube-scheduler, which is that of its API server. */
export const minorOf = ({
  kubernetesMinor,
}: {
  readonly kubernetesMinor?: KubernetesMinor | undefined;
}): KubernetesMinor => kubernetesMinor ?? DEFAULT_MINOR;

/** `1.36` */
export const kubernetesVersion = (minor: KubernetesMinor): string => `1.${minor}`;
