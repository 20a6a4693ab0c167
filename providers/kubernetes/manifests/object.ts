/** An object as a manifest has it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** A label of all objects that Outrigger applies, to find them by: `kubectl get clusterroles -l …`. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'outrigger' } as const;
