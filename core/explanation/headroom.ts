import type { HeadroomReport, ProvisioningReport } from '../model/decision.ts';
import type { GroupName } from '../model/values/names.ts';
import { type HeadroomSaid, headroomSaid, limitText } from '../words/headroom.ts';
import { reasonTexts } from '../words/pod-reasons.ts';
import { PROVISIONING_OUTCOMES } from '../words/provisioning.ts';
import { formatTime } from '../model/values/time.ts';
import { WHY_GROUP_SKIPPED, whyGroupSkipped } from '../words/why-group-skipped.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import { latestRegistry, type ClusterRecord } from './cluster-record.ts';

/** Headroom that a schedule, buffer or request asks for, and how much of it exists. */
export interface HeadroomExplanation extends HeadroomSaid {
  /** The node group of a capacity schedule; `null`: any group may have the room. */
  readonly group: GroupName | null;
  /** Advice; `null` where there is nothing to do. */
  readonly advice: string | null;
  /** All of it, in words. */
  readonly text: string;
}

type ExplanationWithoutText = Omit<HeadroomExplanation, 'text'>;

/** Capacity schedules in force by node group, then CapacityBuffers and ProvisioningRequests as the latest decision of scale-up names them. */
export function knownHeadroom(record: ClusterRecord): readonly HeadroomExplanation[] {
  const { headroom = [], provisioningRequests = [] } = record.scaleUp?.scaleUp ?? {};
  const all = [
    ...scheduled(record),
    ...headroom.map(ofBuffer),
    ...provisioningRequests.flatMap((report) => ofRequest(report) ?? []),
  ];
  return all.map((one) => ({ ...one, text: headroomSaid(one) }));
}

function scheduled(record: ClusterRecord): readonly ExplanationWithoutText[] {
  const registry = latestRegistry(record);
  const groups = Object.entries(registry?.groups ?? {}) as [
    GroupName,
    NonNullable<typeof registry>['groups'][GroupName],
  ][];
  return groups.flatMap(([group, { scheduledMinimum, ready }]): readonly ExplanationWithoutText[] => {
    if (scheduledMinimum === undefined) {
      return [];
    }
    const { nodes: requested, by: name, until } = scheduledMinimum;
    const existing = Math.min(requested, ready);
    const upcoming = Math.min(requested - existing, upcomingOf(group, record));
    const missing = requested - existing - upcoming;
    const { why = null, advice = null } = missing === 0 ? {} : whyMissing(group, record);
    return [
      {
        source: 'CapacitySchedule',
        name,
        group,
        unit: 'nodes',
        requested,
        existing,
        upcoming,
        missing,
        why,
        until,
        advice,
      },
    ];
  });
}

/** Number of a group's upcoming nodes, including nodes that the latest decision adds. */
function upcomingOf(group: GroupName, { scaleUp }: ClusterRecord): number {
  const upcoming = valueOf(scaleUp?.scaleUp.upcoming ?? {}, group) ?? 0;
  return [...(scaleUp?.scaleUp.increases ?? []), ...(scaleUp?.registry.repairs ?? [])]
    .filter((one) => one.group === group)
    .filter((one) => 'to' in one)
    .reduce((sum, { from, to }) => sum + Math.max(0, to - from), upcoming);
}

/** Why a group stays below what its schedule asks for. */
function whyMissing(
  group: GroupName,
  { scaleUp }: ClusterRecord,
): Partial<Pick<ExplanationWithoutText, 'why' | 'advice'>> {
  const skipped = scaleUp?.scaleUp.skippedGroups.find((one) => one.group === group);
  if (skipped !== undefined) {
    return { why: whyGroupSkipped(skipped), advice: WHY_GROUP_SKIPPED[skipped.reason].advice };
  }
  if (scaleUp?.registry.clusterHealthy === false) {
    return { why: 'the cluster is unhealthy, and no node group grows to a minimum' };
  }
  return { why: 'not asked for yet' };
}

function ofBuffer({
  source,
  name,
  wanted,
  fits,
  upcoming = 0,
  triggered,
  reasons,
  limit,
  problem,
}: HeadroomReport): ExplanationWithoutText {
  return {
    source,
    name,
    group: null,
    unit: 'pods',
    requested: wanted,
    existing: fits - upcoming,
    upcoming: upcoming + triggered,
    missing: wanted - fits - triggered,
    why: said([...reasonTexts(reasons), mapOptional(limit, limitText), problem]),
    until: null,
    advice: null,
  };
}

/** @returns `null` where no room is held any more, as it is not needed any more */
function ofRequest(report: ProvisioningReport): ExplanationWithoutText | null {
  const { name, outcome, wanted, fits, upcoming = 0, triggered, until, reasons, message } = report;
  if (outcome === 'CapacityBookingConsumed' || outcome === 'CapacityReservationTimeExpired') {
    return null;
  }
  const { short, advice = null } = PROVISIONING_OUTCOMES[outcome];
  const isHeld = outcome === 'Booked' || outcome === 'CapacityIsFound' || outcome === 'CapacityIsProvisioned';
  const missing = isHeld ? wanted - fits - triggered : wanted;
  const why = [
    !isHeld && short,
    !isHeld && fits > 0 && `${fits} of ${wanted} pods would have room, and all of them get it or none`,
    ...reasonTexts(reasons),
    mapOptional(until, (time) => `looked for again at ${formatTime(time)}`),
    message,
  ];
  return {
    source: 'ProvisioningRequest',
    name,
    group: null,
    unit: 'pods',
    requested: wanted,
    existing: isHeld ? fits - upcoming : 0,
    upcoming: isHeld ? upcoming + triggered : 0,
    missing,
    why: isHeld && missing === 0 ? null : said(why),
    until: null,
    advice: isHeld ? null : advice,
  };
}

const said = (parts: readonly (string | false | undefined)[]): string | null => presentItems(parts).join('; ') || null;

/** The headroom of a node group's capacity schedule, and headroom that the group cannot hold. */
export function headroomOfGroup(record: ClusterRecord, group: GroupName): readonly HeadroomExplanation[] {
  const { headroom = [], provisioningRequests = [] } = record.scaleUp?.scaleUp ?? {};
  const refused = new Set(
    [...headroom, ...provisioningRequests]
      .filter(({ reasons = [] }) => reasons.some((reason) => reason.group === group))
      .map(({ name }) => name),
  );
  return knownHeadroom(record).filter((one) => one.group === group || (one.group === null && refused.has(one.name)));
}
