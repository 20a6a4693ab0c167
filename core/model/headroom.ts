import type { NodeName } from './values/names.ts';

/** The kinds of objects that ask for headroom. */
export const HEADROOM_SOURCES = ['CapacitySchedule', 'CapacityBuffer', 'ProvisioningRequest'] as const;
export type HeadroomSource = (typeof HEADROOM_SOURCES)[number];

/** The number of virtual pods that have their place on a node, by node and by what asks for them. */
export type HeldCapacity = ReadonlyMap<NodeName, ReadonlyMap<string, number>>;
