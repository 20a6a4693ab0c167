import { type Node, ZONE_LABEL } from './cluster/node.ts';
import type { EpochMs } from './values/time.ts';

/** Traffic is shifted away from a zone for a while (a zonal shift of Amazon Application Recovery Controller). */
export interface ZonalShift {
  readonly zone: string;
  /** When it expires; `null`: no end is set, as for an autoshift, which AWS ends when the zone has recovered. */
  readonly until: EpochMs | null;
  /** The cloud may launch an instance of the group in the zone all the same. */
  readonly launches: boolean;
}

/** A node group with its own zonal shifts, or those of its cluster. */
interface ZonalShiftScope {
  readonly zonalShifts?: readonly ZonalShift[] | undefined;
}

/** The shifts that are in force. */
export const shiftsInForce = (shifts: readonly ZonalShift[], now: EpochMs): readonly ZonalShift[] =>
  shifts.filter(({ until }) => until === null || until > now);

/** The shift away from the zone of a node of the group; absent where there is none. */
export const shiftOf = (
  { labels }: Pick<Node, 'labels'>,
  { zonalShifts = [] }: ZonalShiftScope,
): ZonalShift | undefined => zonalShifts.find(({ zone }) => zone === labels[ZONE_LABEL]);
