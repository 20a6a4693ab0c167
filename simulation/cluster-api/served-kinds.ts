import { API_GROUP, INFRASTRUCTURE_GROUP, type ManagedKind } from './objects.ts';

/** The version of all kinds: the newest of Cluster API's contract. */
export const SERVED_VERSION = 'v1beta2';

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
