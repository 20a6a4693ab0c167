import {
  API_GROUP,
  type DeletionOrder,
  INFRASTRUCTURE_GROUP,
  type MachineObject,
  type ManagedKind,
  type ManagedObject,
  type Reference,
  type ScalableObject,
} from './objects.ts';

/** An API version of Cluster API's contract. */
export type ApiVersion = 'v1beta1' | 'v1beta2';

interface ServedKind {
  readonly group: string;
  readonly resource: string;
  readonly hasScale: boolean;
}

export const SERVED_KINDS: Readonly<Record<ManagedKind, ServedKind>> = {
  Cluster: { group: API_GROUP, resource: 'clusters', hasScale: false },
  MachineDeployment: { group: API_GROUP, resource: 'machinedeployments', hasScale: true },
  MachineSet: { group: API_GROUP, resource: 'machinesets', hasScale: true },
  Machine: { group: API_GROUP, resource: 'machines', hasScale: false },
  SimulatedMachineTemplate: { group: INFRASTRUCTURE_GROUP, resource: 'simulatedmachinetemplates', hasScale: false },
};

type Fields = Readonly<Record<string, unknown>>;

/** An object as the API server shows it in a version: the two contracts differ in references, counts and failures. */
export function shownAs(object: ManagedObject, version: ApiVersion): Fields {
  const shown = { apiVersion: `${SERVED_KINDS[object.kind].group}/${version}`, ...object };
  if (version === 'v1beta2') {
    return shown;
  }
  if (object.kind === 'Machine') {
    return { ...shown, ...olderMachine(object) };
  }
  if (object.kind === 'MachineDeployment' || object.kind === 'MachineSet') {
    return { ...shown, ...olderScalable(object) };
  }
  return shown;
}

function olderScalable({ kind, metadata, spec: newer, status: counts }: ScalableObject): Fields {
  const { upToDateReplicas, ...status } = counts;
  const { deletion, rollout, ...spec } = newer;
  const { infrastructureRef, ...machine } = spec.template.spec;
  const order = deletion?.order;
  const isSet = kind === 'MachineSet';
  return {
    spec: {
      ...spec,
      strategy: isSet || order === undefined ? rollout?.strategy : rollingUpdate(order),
      deletePolicy: isSet ? order : undefined,
      template: {
        ...spec.template,
        spec: {
          ...machine,
          infrastructureRef: { ...olderReference(infrastructureRef), namespace: metadata.namespace },
        },
      },
    },
    status: { ...status, updatedReplicas: isSet ? undefined : upToDateReplicas },
  };
}

const rollingUpdate = (deletePolicy: DeletionOrder): Fields => ({
  type: 'RollingUpdate',
  rollingUpdate: { deletePolicy },
});

function olderMachine({ spec, status: newer }: MachineObject): Fields {
  const { deprecated, nodeRef, ...status } = newer;
  return {
    spec: { ...spec, infrastructureRef: olderReference(spec.infrastructureRef) },
    status: {
      ...status,
      ...deprecated?.v1beta1,
      nodeRef: nodeRef && { apiVersion: 'v1', kind: 'Node', name: nodeRef.name },
    },
  };
}

const olderReference = ({ apiGroup, kind, name }: Reference): Fields => ({
  apiVersion: `${apiGroup}/v1beta1`,
  kind,
  name,
});
