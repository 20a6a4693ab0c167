import { present } from '@outrigger/core/model/values/present.ts';
import { withActions } from '@outrigger/core/model/cloud-action.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { conventionOf, type Discovery } from '@outrigger/core/model/discovery.ts';
import type { ClusterName, GroupName } from '@outrigger/core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { Instance, NodeGroup, NodeTemplate } from '@outrigger/core/model/node-group.ts';
import type { GroupGlance } from '@outrigger/core/model/glance.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { withLaunchFailures } from './groups/activities.ts';
import { type AwsClients, type AwsCredentials, createAwsClients } from './api/clients.ts';
import { discoverGroups } from './groups/discovery.ts';
import { driftOf } from './groups/drift.ts';
import type { LaunchedFrom } from './groups/launched-from.ts';
import { createGroupChanges } from './groups/group-changes.ts';
import { type Membership, type NodesByInstance, membersOf, namesOf, nodesByInstance } from './groups/instances.ts';
import type { LaunchData } from './launches/launch-data.ts';
import type { Launches } from './launches/launches.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import { type Result, okValue } from '@outrigger/core/model/values/result.ts';
import { PRICE_KEY, statedPrice } from '../node-groups/stated-price.ts';
import { PAUSE_KEY, parsePause } from '../schema/pause.ts';
import { sampleNodes, sampleOf } from '../node-groups/templates/live-node.ts';
import { createCloudActions } from './groups/cloud-actions.ts';
import { managedKeyOf } from './groups/managed-node-groups.ts';
import type { GroupNodes } from './templates/node-shapes.ts';
import { createCommitments } from './pricing/commitments.ts';
import { type NodeToPrice, type Prices, type UnknownPrice, createPrices, unknownPriceText } from './pricing/prices.ts';
import { cloudActionsOf, isRebalanced, retainedMembers, type ScalingGroup } from './groups/scaling-group.ts';
import { type GroupShapes, createShapeSource } from './templates/shape-source.ts';
import { describeRejected } from './groups/tags.ts';
import { createZonalShifts } from './groups/zonal-shifts.ts';
import { withShortTimeout } from '../with-short-timeout.ts';
import { type HourlyWarn, type Warn, createHourlyWarnings } from '../node-groups/warnings.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

interface AutoScalingGroupsSettings {
  readonly cluster: ClusterName;
  /** Rules for the cluster's groups; `null` or absent: the tags of Cluster Autoscaler's convention. */
  readonly discovery?: Discovery | null;
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials;
  /** Clients to share; by default new ones are created. */
  readonly clients?: AwsClients;
  /** Read prices from AWS. Otherwise a group has a price only where a tag sets it. */
  readonly prices: boolean;
  /** Read reserved instances, capacity reservations and savings plans (the option `reservedCapacity`). Default: no. */
  readonly reservedCapacity?: boolean;
  /** Receives, once an hour for each subject, problems that do not keep a group from growing. */
  readonly warn: Warn;
  /** Receives each price that is not known. Default: `warn` does. */
  readonly onUnknownPrice?: (price: UnknownPrice) => void;
  readonly now: () => EpochMs;
}

/**
 * The Auto Scaling groups of one cluster as node groups. Keep the result for the life of the process: launch templates,
 * instance types and managed node groups are cached in it.
 *
 * `list` makes one call per hundred groups. Groups whose ready nodes show every shape that they may start need nothing
 * more; for the rest it reads what is not cached: instance types by the hundred, launch configurations by the fifty,
 * launch templates by the page (see `createLaunchTemplates`), managed node groups and types by attributes one by one. A
 * failure there affects only the groups concerned: their template is `null`, `templateProblem` contains the reason, and
 * a group without instances is `invalid`. A price that cannot be read is `null`.
 */
export function createAutoScalingGroups(settings: AutoScalingGroupsSettings): NodeGroups {
  const { cluster, region, now } = settings;
  const discovery = settings.discovery ?? conventionOf(cluster);
  const clients = settings.clients ?? createAwsClients(settings);
  const warn = createHourlyWarnings(settings.warn, now);
  const shapeSource = createShapeSource(clients, region, now, warn);
  const cloudActions = createCloudActions(clients, now, warn);
  /** Keys of the managed node groups (`managedKey`), as of the last `list`. */
  let managed: ReadonlyMap<GroupName, string> = new Map();
  const readShifts = createZonalShifts(clients, cluster, now, warn);
  const { onUnknownPrice = (price: UnknownPrice) => warn(`prices: ${price.code}`, unknownPriceText(price)) } = settings;
  const prices = settings.prices ? createPrices(clients, region, now, onUnknownPrice) : null;
  const commitments = settings.reservedCapacity === true ? createCommitments(clients, now, warn) : null;

  return {
    async list(nodes, signal) {
      const index = nodesByInstance(nodes);
      const discovered = await discoverGroups(clients.autoScaling, cluster, discovery, signal);
      warnOfMissing(discovery, discovered, warn);
      discovered.forEach((group) => warnOf(group, warn));
      managed = managedKeys(discovered);
      const observed = discovered.map((group) => groupMembers(group, index, now()));
      const [shaped, shifts] = await Promise.all([
        shapeSource.get(observed, prices !== null, signal),
        readShifts(discovered, signal),
      ]);
      const priced = await pricesOf(shaped, prices, warn, signal);
      return observed.map((one) => ({
        ...nodeGroupOf(one, shaped.get(one.group) ?? null, priced.get(one.group) ?? null),
        ...present({ zonalShifts: shifts.get(one.group) }),
      }));
    },

    commitments: async (types, signal) => (await commitments?.get(types, signal)) ?? [],
    async glance(signal) {
      const discovered = await discoverGroups(clients.autoScaling, cluster, discovery, withShortTimeout(signal));
      return discovered.map(glanceOf);
    },

    withCloudActions: (groups, asked, signal) => cloudActions(groups, asked, managed, signal),

    withLaunchFailures: (groups, asked, signal) => withLaunchFailures(clients.autoScaling, groups, asked, signal),

    ...createGroupChanges({ client: clients.autoScaling, cluster, discovery }),
  };
}

/** Groups that the configuration names and AWS does not have: the others are scaled all the same. */
function warnOfMissing({ nodes }: Discovery, found: readonly ScalingGroup[], warn: HourlyWarn): void {
  const names = new Set<string>(found.map(({ name }) => name));
  for (const { name } of nodes.filter((wanted) => !names.has(wanted.name))) {
    warn(`missing: ${name}`, `There is no Auto Scaling group ${name}, which discovery.nodes names`);
  }
}

/** Warns about problems that do not keep a group from growing. */
function warnOf(group: ScalingGroup, warn: HourlyWarn): void {
  const { name, malformedTags } = group;
  if (malformedTags.length > 0) {
    warn(`tags: ${name}`, `Auto Scaling group ${name}: ${describeRejected(malformedTags)}`);
  }
  const pause = pauseOf(group);
  if (!pause.ok) {
    warn(`pause: ${name}`, `Auto Scaling group ${name}: ${pause.error}; the node group is not paused; correct it`);
  }
  const retained = retainedMembers(group);
  if (retained.length > 0) {
    warn(
      `retained: ${name}`,
      `Auto Scaling group ${name}: ${retained.map(({ id }) => id).join(', ')} stayed when a lifecycle hook was abandoned, and ` +
        'will be paid for until they are terminated',
    );
  }
  if (isRebalanced(group)) {
    warn(
      `rebalanced: ${name}`,
      `Auto Scaling group ${name}: AWS balances its zones by terminating instances that are not drained (AZRebalance); ` +
        'suspend that process',
    );
  }
}

const managedKeys = (groups: readonly ScalingGroup[]): ReadonlyMap<GroupName, string> =>
  new Map(groups.flatMap((group) => mapOptional(managedKeyOf(group), (key) => [[group.name, key]] as const) ?? []));

/** As `toNodeGroup` has them. */
const glanceOf = (group: ScalingGroup): GroupGlance =>
  withActions(
    {
      name: group.name,
      minSize: group.min,
      maxSize: group.max,
      targetSize: group.desired,
      options: group.parsedTags.options,
      instances: membersOf(group.members, NO_NODES).instances,
    },
    cloudActionsOf(group),
  );

const NO_NODES: NodesByInstance = new Map();

/** A group's nodes and its member instances. */
interface GroupMembers extends GroupNodes {
  readonly members: Membership;
}

function groupMembers(group: ScalingGroup, index: NodesByInstance, time: EpochMs): GroupMembers {
  const members = membersOf(group.members, index);
  const { nodes } = members;
  return { group, members, nodes, sample: sampleOf(nodes, time), live: sampleNodes(nodes, time) };
}

/** A group of which something cannot be described is invalid, and the others are listed beside it. */
function nodeGroupOf(one: GroupMembers, shaped: GroupShapes | null, price: number | null): NodeGroup {
  try {
    return toNodeGroup(one, shaped, price);
  } catch (error) {
    const problem = `it cannot be described: ${clip(messageOf(error))}`;
    return toNodeGroup({ ...one, group: { ...one.group, problem, market: 'mixed' } }, null, null);
  }
}

/** @param shaped `null` for a group with a problem of its own. */
function toNodeGroup(
  { group, members: { instances: members, nodes } }: GroupMembers,
  shaped: GroupShapes | null,
  price: number | null,
): NodeGroup {
  const shapes = shaped?.shapes ?? null;
  const instances = withDrift(members, group, shaped);
  const [template = null, ...alternatives] = okValue(shapes)?.templates ?? [];
  const templateProblem = shapes?.ok === false ? shapes.error : null;
  // A group without a template cannot grow, but its nodes are still managed. An empty one is reported as invalid, with
  // the reason.
  const unused = group.desired === 0 && instances.length === 0;
  const pause = pauseOf(group);
  const problem = group.problem ?? (unused ? templateProblem : null);
  const described: NodeGroup = {
    name: group.name,
    minSize: group.min,
    maxSize: group.max,
    targetSize: group.desired,
    options: group.parsedTags.options,
    template,
    templateProblem,
    alternatives,
    capacityType: capacityTypeOf(group, shaped),
    price,
    ...present({ warmPool: group.warmPool }),
    nodes: namesOf(nodes),
    instances,
    launchFailures: [],
    launchSuspended: group.suspended.includes('Launch'),
    paused: null,
    pause: (pause.ok && pause.value) || undefined,
    invalid: mapOptional(problem, (text) => `Auto Scaling group ${group.name}: ${text}`),
  };
  return withActions(described, cloudActionsOf(group));
}

/** Drift is known of the first launch template alone where `$Latest` or `$Default` of several have to be resolved. */
function withDrift(
  instances: readonly Instance[],
  { members, launches }: ScalingGroup,
  shaped: GroupShapes | null,
): readonly Instance[] {
  const templates = new Set(launches.map((launch) => (launch.kind === 'template' ? launch.template : null)));
  const resolved = templates.size === 1 ? (firstLaunchOf(shaped)?.version ?? null) : null;
  const from = new Map<string, LaunchedFrom | null>(members.map(({ id, launchedFrom }) => [id, launchedFrom]));
  return instances.map((instance) => {
    const drifted = driftOf(from.get(instance.id) ?? null, launches, resolved);
    return drifted === undefined ? instance : { ...instance, drifted };
  });
}

const firstLaunchOf = (shaped: GroupShapes | null): LaunchData | undefined => okValue(shaped?.launches)?.types[0].data;

/**
 * The purchase option of all instances of a group. The launch template of a group with an on-demand policy may request
 * spot instances, so without the template the purchase option is unknown.
 */
function capacityTypeOf({ market }: ScalingGroup, shaped: GroupShapes | null): string | null {
  switch (market) {
    case 'spot':
    case 'capacity-block':
      return market;
    case 'mixed':
      return null;
    case 'on-demand':
      return firstLaunchOf(shaped)?.market ?? null;
  }
}

const pauseOf = ({ name, tags }: ScalingGroup): Result<Pause | null, string> =>
  parsePause(tags[PAUSE_KEY], 'tag', { group: name, source: 'NodeGroup' });

/** Prices of the first shapes: from the tag, else from AWS where prices are enabled. */
async function pricesOf(
  shaped: ReadonlyMap<ScalingGroup, GroupShapes>,
  source: Prices | null,
  warn: HourlyWarn,
  signal?: AbortSignal,
): Promise<ReadonlyMap<ScalingGroup, number>> {
  const prices = new Map<ScalingGroup, number>();
  const untagged: NodeToPrice[] = [];
  for (const [group, { shapes, launches }] of shaped) {
    const tagged = statedPrice(group.tags[PRICE_KEY], 'tag');
    if (!tagged.ok) {
      warn(`tag: ${group.name}`, `Auto Scaling group ${group.name}: ${tagged.error}`);
    } else if (tagged.value !== null) {
      prices.set(group, tagged.value);
    } else if (shapes.ok) {
      const [template] = shapes.value.templates;
      const launch = mapOptional(okValue(launches), (known) => launchOf(known, template)) ?? null;
      untagged.push({ group, template, launch });
    }
  }
  const read = (await source?.get(untagged, signal)) ?? [];
  return new Map([...prices, ...read]);
}

/**
 * How the group starts nodes of this type; the group's first launch, if a live node is of a type that the group no
 * longer starts.
 */
const launchOf = ({ types }: Launches, { node }: NodeTemplate): LaunchData =>
  (types.find(({ type }) => type.name === node.labels[INSTANCE_TYPE_LABEL]) ?? types[0]).data;
