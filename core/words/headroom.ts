import { clippedList } from '../model/values/clip.ts';
import { counted, pluralOf } from '../model/values/counted.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import type { ScheduledMinimum } from '../model/capacity-schedule.ts';
import type { HeadroomReport } from '../model/decision.ts';
import type { HeadroomSource, HeldCapacity } from '../model/headroom.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import { endText, NODE_MESSAGES } from './node-messages.ts';
import { reasonTexts } from './pod-reasons.ts';

/** Does some of the room not exist yet, or is there none? */
export const isShort = ({ wanted, fits, limit, problem }: HeadroomReport): boolean =>
  fits < wanted || limit !== undefined || problem !== undefined;

/** `5 of 8 virtual pods have room, 2 get a new node; web-a: Insufficient cpu`. */
export function headroomText({ wanted, fits, triggered, reasons, limit, problem }: HeadroomReport): string {
  const counts = wanted > 0 && roomText(fits, wanted, 'virtual pods', triggered);
  return presentItems([counts, ...reasonTexts(reasons), mapOptional(limit, limitText), problem]).join('; ');
}

/** `5 of 8 pods have room, 2 get a new node`. */
export const roomText = (fits: number, wanted: number, noun: string, triggered: number): string =>
  presentItems([`${fits} of ${wanted} ${noun} have room`, triggered > 0 && `${triggered} get a new node`]).join(', ');

/** Leaves room for the rest of a message. */
const LONGEST_NAMES = 200;

/** `limited from 5 to 2 by the ResourceQuotas compute, team`. */
export const limitText = ({ from, to, quotas }: NonNullable<HeadroomReport['limit']>): string =>
  `limited from ${from} to ${to} by the ${pluralOf('ResourceQuota', quotas.length)} ${clippedList(quotas, LONGEST_NAMES)}`;

/** A source of headroom, and how much of its headroom exists. */
export interface HeadroomSaid {
  readonly source: HeadroomSource;
  /** The short form of a capacity schedule; namespace and name of the other sources. */
  readonly name: string;
  readonly unit: 'nodes' | 'pods';
  readonly requested: number;
  /** On existing nodes. */
  readonly existing: number;
  /** On upcoming nodes, and nodes that are requested now. */
  readonly upcoming: number;
  /** Headroom that will not exist, as things stand. */
  readonly missing: number;
  /** Why something is missing, or less is asked for than was written, in words; `null` where there is nothing to say. */
  readonly why: string | null;
  /** On the clock of a time zone; `null` where no end is in sight. */
  readonly until: string | null;
}

const NOUNS: Readonly<Record<HeadroomSaid['unit'], string>> = { nodes: 'node', pods: 'pod' };

/** `capacity schedule "3 from 0 8 * * 1-5 for 10h" until 2026-01-01 18:00 UTC, 3 nodes: 1 existing, 2 upcoming`. */
export function headroomSaid(said: HeadroomSaid): string {
  const { source, name, until, unit, requested, existing, upcoming, missing, why } = said;
  const by = source === 'CapacitySchedule' ? `capacity schedule "${name}"` : source;
  const existingText = existing === requested ? 'all existing' : `${existing} existing`;
  const counts = presentItems([
    existing > 0 && existingText,
    upcoming > 0 && `${upcoming} upcoming`,
    missing > 0 && `${missing} missing`,
  ]).join(', ');
  const what = presentItems([`${by}${endText(until)}`, requested > 0 && counted(requested, NOUNS[unit])]).join(', ');
  return `${what}: ${[counts, why ?? ''].filter((part) => part !== '').join('; ')}`;
}

/** `at least 3 nodes by "3 from 0 8 * * 1-5 for 10h in Europe/Berlin", until 2026-01-01 18:00 Europe/Berlin`. */
export const scheduledText = ({ nodes, by, until }: ScheduledMinimum): string =>
  presentItems([`at least ${counted(nodes, 'node')} by "${by}"`, mapOptional(until, (end) => `until ${end}`)]).join(
    ', ',
  );

/** Names of what keeps room on a node, in a message. */
const MOST_NAMED = 3;

/**
 * Why a node stays that takes pods which are not on it: others that wait, or virtual ones; `null` where it takes none.
 *
 * @param more the number of these pods.
 */
export function whyTakesPods(node: NodeName, more: number, held: HeldCapacity | undefined): string | null {
  if (more === 0) {
    return null;
  }
  const virtual = [...(held?.get(node)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  return NODE_MESSAGES.takesPendingPods(more !== virtual, holdersOf(node, held));
}

/**
 * The headroom on a node, and its number of virtual pods, in words: the first sources by name, and how many more there
 * are.
 */
export function holdersOf(node: NodeName, held: HeldCapacity | undefined): readonly string[] {
  const named = [...(held?.get(node) ?? [])]
    .toSorted(([a], [b]) => byName(a, b))
    .map(([asker, count]) => `${counted(count, 'virtual pod')} of ${asker}`);
  const more = named.length - MOST_NAMED;
  return presentItems([...named.slice(0, MOST_NAMED), more > 0 && `${more} more`]);
}
