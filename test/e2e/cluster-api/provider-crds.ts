/** API groups of the providers, as Cluster API names them. */
export const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io';
export const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io';
/** The version of both. */
export const VERSION = 'v1';

/**
 * CRDs of a provider of machines and of a control plane, by Cluster API's contract v1beta2: the label says which version of the
 * CRD fulfils it.
 */
export const providerCrds = () => [
  crd(INFRASTRUCTURE, 'StandInMachineTemplate'),
  crd(INFRASTRUCTURE, 'StandInMachine'),
  crd(INFRASTRUCTURE, 'StandInMachinePool'),
  crd(CONTROL_PLANE, 'StandInControlPlane'),
];

/** Spec and status are whatever a provider needs: to Cluster API they are a few paths, not a type. */
const crd = (group: string, kind: string) =>
  customResourceDefinition(group, VERSION, kind, {
    labels: { 'cluster.x-k8s.io/v1beta2': VERSION },
    subresources: { status: {} },
  });

interface CrdOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly subresources: object;
}

/** A namespaced resource whose objects have any spec and any status. */
export function customResourceDefinition(
  group: string,
  version: string,
  kind: string,
  { labels = {}, subresources }: CrdOptions,
) {
  const singular = kind.toLowerCase();
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}`, labels },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
          subresources,
        },
      ],
    },
  };
}
