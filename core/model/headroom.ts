import type { NodeName } from './values/names.ts';

/** The kinds of controllers that create a stated number of pods. */
export const REPLICATING_KINDS = ['ReplicaSet', 'StatefulSet', 'ReplicationController', 'Job'] as const;
export type ReplicatingKind = (typeof REPLICATING_KINDS)[number];

/** The kinds of objects that ask for headroom. */
export const HEADROOM_SOURCES = [
  'CapacitySchedule',
  'CapacityBuffer',
  'ProvisioningRequest',
  ...REPLICATING_KINDS,
] as const;
export type HeadroomSource = (typeof HEADROOM_SOURCES)[number];

/** The number of virtual pods that have their place on a node, by node and by what asks for them. */
export type HeldCapacity = ReadonlyMap<NodeName, ReadonlyMap<string, number>>;
