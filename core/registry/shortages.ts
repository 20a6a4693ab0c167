import { INSTANCE_TYPE_LABEL, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import { type NodeGroup, shapesOfNextNode } from '../model/node-group.ts';
import type { Labels } from '../model/cluster/selectors.ts';
import type { Shortage } from '../model/state.ts';
import { getOptional, mapOptional, presentItems } from '../model/values/optional.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../model/values/time.ts';

/** How long the cloud is taken at its word; Karpenter's figure for unavailable offerings. */
export const SHORTAGE_TIME = minutes(3);

/** The missing capacity: an instance type in a zone, under one purchase option. */
type Offering = Omit<Shortage, 'until' | 'lastResort'>;

/** Labels that distinguish Spot from on-demand nodes: EKS', Karpenter's, and the one that people used before both. */
export const CAPACITY_TYPE_LABELS = [
  'eks.amazonaws.com/capacityType',
  'karpenter.sh/capacity-type',
  'node.kubernetes.io/lifecycle',
];

/** `spot`, `on-demand` …; `null` where no label says so. */
export function capacityTypeOf(labels: Labels): string | null {
  const value = CAPACITY_TYPE_LABELS.map((label) => labels[label]).find((found) => found !== undefined);
  return value?.toLowerCase().replaceAll('_', '-') ?? null;
}

/**
 * The offering of the node; `null` where neither the node nor its group says. Without
 * its purchase option a shortage of Spot instances would keep the same type from being launched on demand, so such
 * groups are known by their own backoff only.
 */
export function offeringOf({ labels }: Node, purchaseOption: string | null): Offering | null {
  const type = labels[INSTANCE_TYPE_LABEL];
  const zone = labels[ZONE_LABEL];
  const capacityType = capacityTypeOf(labels) ?? purchaseOption;
  if (type === undefined || zone === undefined || capacityType === null) {
    return null;
  }
  return { type, zone, capacityType };
}

/**
 * The offerings that the next node of the group may be launched from; `null` for a shape that does not show its
 * offering.
 */
const offeringsOf = (group: NodeGroup): readonly (Offering | null)[] =>
  shapesOfNextNode(group).map(({ node }) => offeringOf(node, group.capacityType));

const keyOf = ({ type, zone, capacityType }: Offering): string => `${type}/${zone}/${capacityType}`;

/** Nothing to be had, whatever shape a group takes. */
export interface NoCapacity {
  /** In words. */
  readonly message: string;
  /** When the first of its shapes may be there again. */
  readonly until: EpochMs;
  /** A shape may be available all the same, and is launched where nothing else helps; absent: none. */
  readonly lastResort?: true | undefined;
}

/** Shortages by offering. */
export interface Shortages {
  /**
   * Notes that a group found nothing in these zones (`null`: wherever it looked). A group of several types asks for
   * each of them before it fails in a zone, so all of its types are missing there.
   */
  readonly note: (group: NodeGroup, zones: ReadonlySet<string | null>) => void;
  /** Why the group cannot get a node of any shape; `null` when one of its shapes may be available. */
  readonly of: (group: NodeGroup) => NoCapacity | null;
  /** In order, for the state. */
  readonly list: () => readonly Shortage[];
}

/** Starts with the known shortages that still hold. */
export function createShortages(known: readonly Shortage[], now: EpochMs): Shortages {
  const byOffering = new Map(known.filter(({ until }) => until > now).map((shortage) => [keyOf(shortage), shortage]));
  return {
    note: (group, zones) => {
      for (const offering of offeringsOf(group)) {
        if (offering !== null && (zones.has(null) || zones.has(offering.zone))) {
          byOffering.set(keyOf(offering), { ...offering, until: addTime(now, SHORTAGE_TIME) });
        }
      }
    },
    of: (group) => {
      if (byOffering.size === 0) {
        return null;
      }
      const shapes = offeringsOf(group).map((offering) => getOptional(byOffering, mapOptional(offering, keyOf)));
      const [first, ...others] = presentItems(shapes);
      if (first === undefined || others.length < shapes.length - 1) {
        return null;
      }
      const rest = others.length === 1 ? 'the other shape' : `any of the ${others.length} other shapes`;
      const more = others.length === 0 ? '' : `, nor for ${rest}`;
      return {
        message: `no ${first.capacityType} capacity for ${first.type} in ${first.zone}${more}`,
        lastResort: [first, ...others].some(({ lastResort }) => lastResort) || undefined,
        until: epochMs(Math.min(first.until, ...others.map(({ until }) => until))),
      };
    },
    list: () => sortedBy([...byOffering.values()], keyOf),
  };
}
