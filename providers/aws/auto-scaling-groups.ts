import { type AutoScalingClient, SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import type { ClusterName, GroupName } from '../../core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL } from '../../core/model/cluster/node.ts';
import type { GroupSize, NodeGroup, NodeTemplate } from '../../core/model/node-group.ts';
import type { SetSizeOutcome } from '../../core/model/answers.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { withLaunchFailures } from './groups/activities.ts';
import { type AwsClients, type AwsCredentials, abortable, createAwsClients } from './api/clients.ts';
import type { Found } from './api/lookup.ts';
import { describeGroup, discoverGroups } from './groups/discovery.ts';
import { callFailed, failureOf } from './api/failures.ts';
import {
  type Membership,
  type NodesByInstance,
  instanceState,
  membersOf,
  namesOf,
  nodesByInstance,
} from './groups/instances.ts';
import type { LaunchData } from './launches/launch-data.ts';
import type { Launches } from './launches/launches.ts';
import { exemplaryNode, exemplaryNodes } from './templates/live-node.ts';
import { createNodeGroupUpdates, managedKey } from './groups/managed-node-groups.ts';
import type { Look } from './templates/node-shapes.ts';
import { type Priced, type Prices, createPrices, taggedPrice } from './pricing/prices.ts';
import { gone, held, refuse } from './groups/resize.ts';
import type { ScalingGroup } from './groups/scaling-group.ts';
import { type Shaped, createShapeSource } from './templates/shape-source.ts';
import { describeRejected } from './groups/tags.ts';
import { terminateInstance } from './groups/terminate.ts';
import { type HourlyWarn, type Warn, createHourlyWarnings } from './api/warnings.ts';

export interface AutoScalingGroupsSettings {
  /** Its groups carry the tag `k8s.io/cluster-autoscaler/<cluster>`. */
  readonly cluster: ClusterName;
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials;
  /** Clients to share with others, instead of own ones. */
  readonly clients?: AwsClients;
  /** Ask AWS what nodes cost. Without it a group has a price only where a tag tells it. */
  readonly prices: boolean;
  /** Hears, of each matter once an hour, of troubles that keep no group from growing. */
  readonly warn: Warn;
  readonly now: () => EpochMs;
}

/**
 * The Auto Scaling groups of one cluster as node groups. Keep the result for the life of the process: launch templates,
 * instance types and managed node groups are remembered in it.
 *
 * `list` makes one call per hundred groups. Groups whose ready nodes show all that they may start need nothing more; for
 * the others it asks for what it has not yet learnt: instance types by the hundred, launch configurations by the fifty,
 * launch templates by the page (see `createLaunchTemplates`), managed node groups and types by attributes one by one. A
 * failure there costs only the groups concerned: their template is `null` and `templateProblem` says why, and a group
 * that has no instances either is `invalid`. A price that cannot be had is `null`.
 *
 * `readSize`, `readInstance` and `setSize` take a group that has lost its discovery tags for gone.
 */
export function createAutoScalingGroups(settings: AutoScalingGroupsSettings): NodeGroups {
  const { cluster, region, now } = settings;
  const clients = settings.clients ?? createAwsClients(settings);
  const warn = createHourlyWarnings(settings.warn, now);
  const shapeSource = createShapeSource(clients, region, now, warn);
  const updates = createNodeGroupUpdates(clients.eks, now);
  /** EKS' keys of the groups that it manages, as of the last list. */
  let managed: ReadonlyMap<GroupName, string> = new Map();
  const prices = settings.prices ? createPrices(clients, region, now, warn) : null;

  const describe = async (name: GroupName, signal?: AbortSignal): Promise<ScalingGroup | null> => {
    try {
      return await describeGroup(clients.autoScaling, cluster, name, signal);
    } catch (error) {
      throw callFailed(`DescribeAutoScalingGroups for ${name}`, error);
    }
  };

  return {
    async list(nodes, signal) {
      const index = nodesByInstance(nodes);
      const discovered = await discoverGroups(clients.autoScaling, cluster, signal);
      discovered.forEach((group) => warnOf(group, warn));
      managed = managedKeys(discovered);
      const looks = discovered.map((group) => lookAt(group, index, now()));
      const shaped = await shapeSource.get(looks, prices !== null, signal);
      const priced = await pricesOf(shaped, prices, warn, signal);
      return looks.map((look) => toNodeGroup(look, shaped.get(look.group) ?? null, priced.get(look.group) ?? null));
    },

    async withUpdates(groups, asked, signal) {
      const keys = new Map([...managed].filter(([name]) => asked.has(name)));
      const found = await updates.get(keys.values(), signal);
      return groups.map((group) => withUpdate(group, found.get(keys.get(group.name) ?? ''), warn));
    },

    withLaunchFailures: (groups, asked, signal) => withLaunchFailures(clients.autoScaling, groups, asked, signal),

    terminate: (group, instance, decrement, signal) =>
      terminateInstance(clients.autoScaling, cluster, group, instance, decrement, signal),

    readSize: async (name, signal) => sizeOf(await describe(name, signal)),

    async readInstance(name, instance, signal) {
      const group = await describe(name, signal);
      const member = group?.members.find(({ id }) => id === instance);
      const state = member === undefined ? null : instanceState(member.lifecycleState);
      return {
        state: state === null ? 'gone' : state === 'Deleting' ? 'ending' : 'in group',
        size: sizeOf(group),
      };
    },

    setSize: (name, size, signal) => setSize(clients.autoScaling, cluster, name, size, signal),
  };
}

function withUpdate(group: NodeGroup, update: Found<boolean> | undefined, warn: HourlyWarn): NodeGroup {
  if (update?.ok === false) {
    const { code, message } = update.error;
    const problem = `whether EKS is updating it is not known (${code}: ${message}); its nodes are removed all the same`;
    warn(`update: ${group.name}`, `Auto Scaling group ${group.name}: ${problem}`);
  }
  return update?.ok === true && update.value ? { ...group, updating: true } : group;
}

async function setSize(
  client: AutoScalingClient,
  cluster: ClusterName,
  name: GroupName,
  size: number,
  signal?: AbortSignal,
): Promise<SetSizeOutcome> {
  try {
    const group = await describeGroup(client, cluster, name, signal);
    const refusal = group === null ? gone(name, cluster) : refuse(group, size);
    if (refusal !== null) {
      return refusal;
    }
    await client.send(
      // Without the cooldown: it belongs to AWS' own scaling policies, and would make this call fail.
      new SetDesiredCapacityCommand({ AutoScalingGroupName: name, DesiredCapacity: size, HonorCooldown: false }),
      abortable(signal),
    );
    return { kind: 'set' };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) {
      throw error;
    }
    return { kind: 'failed', ...failure };
  }
}

/** What keeps a group from nothing, and should be known all the same. */
function warnOf(group: ScalingGroup, warn: HourlyWarn): void {
  const { name, malformedTags } = group;
  if (malformedTags.length > 0) {
    warn(`tags: ${name}`, `Auto Scaling group ${name}: ${describeRejected(malformedTags)}`);
  }
  if (isRebalanced(group)) {
    warn(
      `rebalanced: ${name}`,
      `Auto Scaling group ${name}: AWS evens out its zones by ending instances that are not drained (AZRebalance); ` +
        'suspend that process',
    );
  }
}

/** EKS drains the instances of its managed node groups, whoever ends them, and its updates rely on the process. */
const isRebalanced = ({ zones, suspended, parsedTags: { managedNodeGroup } }: ScalingGroup): boolean =>
  zones.length > 1 && managedNodeGroup === null && !suspended.includes('AZRebalance');

const managedKeys = (groups: readonly ScalingGroup[]): ReadonlyMap<GroupName, string> =>
  new Map(
    groups.flatMap(({ name, parsedTags: { managedNodeGroup } }): [GroupName, string][] =>
      managedNodeGroup === null ? [] : [[name, managedKey(managedNodeGroup)]],
    ),
  );

const sizeOf = (group: ScalingGroup | null): GroupSize | null =>
  group === null ? null : { min: group.min, max: group.max, target: group.desired, held: held(group) };

/** The exemplary nodes of a group, and who its members are. */
interface MemberLook extends Look {
  readonly members: Membership;
}

function lookAt(group: ScalingGroup, index: NodesByInstance, time: EpochMs): MemberLook {
  const members = membersOf(group.members, index);
  const { nodes } = members;
  return { group, members, nodes, exemplary: exemplaryNode(nodes, time), live: exemplaryNodes(nodes, time) };
}

/** @param shaped `null` for a group with a problem of its own. */
function toNodeGroup(
  { group, members: { instances, nodes } }: MemberLook,
  shaped: Shaped | null,
  price: number | null,
): NodeGroup {
  const shapes = shaped?.shapes ?? null;
  const [template, ...alternatives] = shapes?.ok === true ? shapes.value.templates : [];
  const templateProblem = shapes?.ok === false ? shapes.error : null;
  // Without a template a group cannot grow, but what it has must still be looked after. One that has nothing loses
  // nothing by being left out, and can then say why.
  const unused = group.desired === 0 && instances.length === 0;
  const problem = group.problem ?? (unused ? templateProblem : null);
  return {
    name: group.name,
    minSize: group.min,
    maxSize: group.max,
    targetSize: group.desired,
    options: group.parsedTags.options,
    template: template ?? null,
    templateProblem,
    alternatives,
    capacityType: capacityTypeOf(group, shaped),
    price,
    nodes: namesOf(nodes),
    instances,
    launchFailures: [],
    updating: false,
    launchSuspended: group.suspended.includes('Launch'),
    zonesRebalanced: isRebalanced(group),
    invalid: problem === null ? null : `Auto Scaling group ${group.name}: ${problem}`,
  };
}

/**
 * How all machines of a group are bought. A group whose policy buys on demand may still have a launch template that asks
 * for spot machines: without a look at it nothing is known.
 */
function capacityTypeOf({ market }: ScalingGroup, shaped: Shaped | null): string | null {
  switch (market) {
    case 'spot':
    case 'capacity-block':
      return market;
    case 'mixed':
      return null;
    case 'on-demand':
      return shaped?.launches?.ok === true ? shaped.launches.value.types[0].data.market : null;
  }
}

/** Prices of the first shapes: the user's word, else AWS' where they are asked for. */
async function pricesOf(
  shaped: ReadonlyMap<ScalingGroup, Shaped>,
  source: Prices | null,
  warn: HourlyWarn,
  signal?: AbortSignal,
): Promise<ReadonlyMap<ScalingGroup, number>> {
  const prices = new Map<ScalingGroup, number>();
  const asked: Priced[] = [];
  for (const [group, { shapes, launches }] of shaped) {
    const tagged = taggedPrice(group);
    if (!tagged.ok) {
      warn(`tag: ${group.name}`, `Auto Scaling group ${group.name}: ${tagged.error}`);
    } else if (tagged.value !== null) {
      prices.set(group, tagged.value);
    } else if (shapes.ok) {
      const [template] = shapes.value.templates;
      asked.push({ group, template, launch: launches?.ok === true ? launchOf(launches.value, template) : null });
    }
  }
  return source === null ? prices : new Map([...prices, ...(await source.get(asked, signal))]);
}

/** How the group starts nodes of this type; its first way where a live node is of a type that it no longer starts. */
const launchOf = ({ types }: Launches, { node }: NodeTemplate): LaunchData =>
  (types.find(({ type }) => type.name === node.labels[INSTANCE_TYPE_LABEL]) ?? types[0]).data;
