import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import {
  AWAITING_PODS_TAINT,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type Node,
  REGION_LABEL,
  type Taint,
  ZONE_LABEL,
} from '@outrigger/core/model/cluster/node.ts';
import { isCandidateTaint, isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { type DurationMs, durationMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import type { ObservedNode, ObservedPeriod } from '../history/observed.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** From a decision to the launch: the change of the size, and Auto Scaling's answer to it. */
const TO_LAUNCH = 2_000;
/** A node that came later than this after a request was not launched for it. */
const LONGEST_BOOT = minutes(30);
/** A node that became ready later than this had been ready before. */
const LONGEST_READY = minutes(10);
/** As in a workload that says nothing. */
const USUAL_BOOT: Span = { min: 25_000, max: 45_000 };
const USUAL_READY: Span = { min: 3_000, max: 6_000 };

/** The boot times that were seen: from launch to registration, and from there to Ready. */
export interface ObservedBoots {
  readonly boot: readonly DurationMs[];
  readonly ready: readonly DurationMs[];
}

/** The node groups of a period as they were at its start, with the boot times that were seen in it. */
export interface SimulatedGroups {
  readonly groups: readonly SimulatedScalingGroup[];
  /** Groups that are not simulated, as nothing shows what their nodes are. */
  readonly leftOut: readonly GroupName[];
  /** Node groups that stand for nodes in no node group. */
  readonly fixed: ReadonlySet<GroupName>;
}

export function simulatedGroups(period: ObservedPeriod): SimulatedGroups {
  const boots = bootsByGroup(period);
  const all = spansOf([...boots.values()]);
  const groups: SimulatedScalingGroup[] = [];
  const leftOut: GroupName[] = [];
  for (const group of period.groups.values()) {
    const node = shapeOf(group, period.nodes);
    if (node === null) {
      leftOut.push(group.name);
    } else {
      groups.push(groupOf(group, node, period, spansOf([boots.get(group.name)], all)));
    }
  }
  const fixed = fixedGroups(period);
  return { groups: [...groups, ...fixed], leftOut, fixed: new Set(fixed.map(({ name }) => name)) };
}

/** A node of the group as it was seen last, or else its template. */
const shapeOf = ({ name, template }: NodeGroup, nodes: readonly ObservedNode[]): Node | null =>
  nodes.findLast(({ group }) => group === name)?.node ?? template?.node ?? null;

function groupOf(
  { name, minSize, maxSize, options, price, capacityType }: NodeGroup,
  node: Node,
  period: ObservedPeriod,
  spans: Spans,
): SimulatedScalingGroup {
  const { provider } = period.last;
  const atStart = period.first.nodeGroups.find((group) => group.name === name);
  const zones = zonesOf(name, node, period);
  const desired = atStart?.targetSize ?? 0;
  return {
    name,
    // A MachineDeployment has one failure domain.
    zones: provider === 'clusterapi' ? zones.slice(0, 1) : zones,
    ...sizesOf(Math.min(minSize, atStart?.minSize ?? 0), Math.max(maxSize, atStart?.maxSize ?? 0), desired),
    ...shapeFields(node),
    options,
    capacityType,
    price,
    ...spans,
    available: Infinity,
  };
}

const sizesOf = (minSize: number, maxSize: number, desired: number) => ({
  minSize: Math.min(minSize, desired),
  maxSize: Math.max(maxSize, desired),
  desiredSize: desired,
});

const shapeFields = (node: Node) => ({
  instanceType: node.labels[INSTANCE_TYPE_LABEL] ?? 'unknown',
  capacity: node.capacity,
  allocatable: node.allocatable,
  labels: sharedLabels(node.labels),
  taints: node.taints.filter(isLasting),
});

const OWN_LABELS: ReadonlySet<string> = new Set([
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
  'topology.ebs.csi.aws.com/zone',
]);

const sharedLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !OWN_LABELS.has(name)));

const isLasting = (taint: Taint): boolean =>
  !isRemovalTaint(taint) &&
  !isCandidateTaint(taint) &&
  taint.key !== AWAITING_PODS_TAINT &&
  !taint.key.startsWith('node.kubernetes.io/') &&
  !taint.key.startsWith('node.cloudprovider.kubernetes.io/');

function zonesOf(name: GroupName, node: Node, { groups, nodes, first }: ObservedPeriod): readonly string[] {
  const group = groups.get(name);
  const zones = presentItems([
    ...nodes.filter((one) => one.group === name).map((one) => one.node.labels[ZONE_LABEL]),
    ...(group?.alternatives ?? []).map((template) => template.node.labels[ZONE_LABEL]),
    ...(first.nodeGroups.find((one) => one.name === name)?.instances ?? []).map(({ zone }) => zone),
    node.labels[ZONE_LABEL],
  ]);
  return zones.length === 0 ? ['unknown-1a'] : [...new Set(zones)].toSorted();
}

/** Nodes in no node group, as groups that are never scaled: those that were there at the start. */
function fixedGroups({ nodes }: ObservedPeriod): readonly SimulatedScalingGroup[] {
  const alone = nodes.filter(({ group, registeredAt }) => group === null && registeredAt === null);
  const kinds = Map.groupBy(alone, ({ node }) => JSON.stringify([node.labels[ZONE_LABEL], shapeFields(node)]));
  return [...kinds.values()].map((alike, index) => {
    const { node } = firstItem(alike);
    return {
      name: groupName(`in no node group ${index + 1}`),
      zones: [node.labels[ZONE_LABEL] ?? 'unknown-1a'],
      ...sizesOf(alike.length, alike.length, alike.length),
      ...shapeFields(node),
      options: { plannedPlacement: false },
      price: null,
      boot: USUAL_BOOT,
      ready: USUAL_READY,
      available: alike.length,
    };
  });
}

/** The boot times of each group: each new node answers the oldest request of its group that is open. */
export function bootsByGroup({ nodes, requests }: ObservedPeriod): ReadonlyMap<GroupName, ObservedBoots> {
  const asked = Map.groupBy(
    requests.flatMap(({ nodes: count, ...request }) => Array.from({ length: count }, () => request)),
    ({ group }) => group,
  );
  const boots = new Map<GroupName, { boot: DurationMs[]; ready: DurationMs[] }>();
  const oldestFirst = nodes.toSorted((a, b) => (a.registeredAt ?? 0) - (b.registeredAt ?? 0));
  for (const { group, registeredAt, readyAt } of oldestFirst) {
    if (group === null || registeredAt === null) {
      continue;
    }
    const of = getOrMake(boots, group, () => ({ boot: [], ready: [] }));
    const open = asked.get(group) ?? [];
    while (open.length > 0 && registeredAt - firstItem(open).at > LONGEST_BOOT) {
      open.shift();
    }
    const [launch] = open;
    if (launch !== undefined && launch.at < registeredAt) {
      open.shift();
      of.boot.push(durationMs(Math.max(1_000, registeredAt - launch.at - TO_LAUNCH)));
    }
    if (readyAt !== null && readyAt - registeredAt <= LONGEST_READY) {
      of.ready.push(durationMs(Math.max(0, readyAt - registeredAt)));
    }
  }
  return boots;
}

type Spans = Pick<SimulatedScalingGroup, 'boot' | 'ready'>;

function spansOf(
  boots: readonly (ObservedBoots | undefined)[],
  otherwise: Spans = { boot: USUAL_BOOT, ready: USUAL_READY },
): Spans {
  return {
    boot: spanOf(boots.flatMap((one) => one?.boot ?? [])) ?? otherwise.boot,
    ready: spanOf(boots.flatMap((one) => one?.ready ?? [])) ?? otherwise.ready,
  };
}

/** The even distribution of the same mean and deviation; `null` of nothing. */
export function spanOf(times: readonly DurationMs[]): Span | null {
  if (times.length === 0) {
    return null;
  }
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length;
  const half = Math.min(mean, Math.sqrt(3 * variance));
  return { min: Math.round(mean - half), max: Math.round(mean + half) };
}
