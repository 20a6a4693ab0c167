/** The Kubernetes group that EKS access entries put the functions' roles into. */
export const KUBERNETES_GROUP = 'outrigger';
/** And the one of the function that drains, besides. */
export const DRAIN_GROUP = 'outrigger-drain';
