import { firstItem, getOwn, required } from '../model/values/existing.ts';
import { eachGroup } from '../model/fault.ts';
import { isReady, isStartupTaintOf } from '../registry/readiness.ts';
import { type GroupName, nodeName, type NodeName } from '../model/values/names.ts';
import { HOSTNAME_LABEL, type Node, type Taint } from '../model/cluster/node.ts';
import { isLeaving, isPassingTaint } from '../model/cluster/node-condition.ts';
import { type NodeGroup, type NodePrices, type NodeTemplate, nodePricesOf } from '../model/node-group.ts';
import { daemonSetsAmong } from '../model/cluster/controller-lists.ts';
import type { OfProvider } from '../model/provider.ts';
import type { Options } from '../model/options.ts';
import { hasClaims, isDaemon, isMirror, type Pod } from '../model/cluster/pod.ts';
import type { Controller } from '../model/cluster/workloads.ts';
import { CPU, maxResources, MEMORY, NO_RESOURCES, PODS, type Resources } from '../model/values/resources.ts';
import type { ClusterObjects, Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { clusterSnapshot } from '../scheduling/cluster-snapshot.ts';
import { createScheduler } from '../scheduling/scheduler.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import {
  type Daemon,
  daemonsOf,
  establishedAmong,
  followedPods,
  isEstablishedOn,
  type IsEstablished,
  nodesOfDaemons,
  runsOn,
} from './daemon-pods.ts';
import { type NodeDaemons, scheduleDaemons } from './schedule-daemons.ts';

/** A new node of a group, with the pods that it will carry from the start. */
export interface GroupTemplate extends OfProvider {
  readonly group: GroupName;
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Capacity of the node beside these pods. */
  readonly free: Resources;
  /** All daemons of the node, including daemons without a place on it, as `daemonsOf` orders them. */
  readonly daemons: readonly Daemon[];
  /** Daemons that the node does not carry, and why, in words. */
  readonly without: NodeDaemons['without'];
  /**
   * Alternative nodes, in a group of several instance types or zones. `node` then has the least of each resource, and
   * only pods that each shape would take are planned for it.
   */
  readonly shapes: readonly Node[];
  /** Upper bound of each resource of a node. */
  readonly most: Resources;
  /** The prices of nodes of the instance type of `template`. */
  readonly prices: NodePrices & { readonly template: Node };
  /** The purchase option of the group's nodes, as `NodeGroup` has it. */
  readonly capacityType: string | null;
}

/**
 * The template of every group that has one: the group's own, else one of its ready nodes that can be read. Follows Cluster
 * Autoscaler's `MixedTemplateNodeInfoProvider` and its clean-up of node copies.
 */
export function groupTemplates(scenario: Scenario): ReadonlyMap<GroupName, GroupTemplate> {
  const { nodeGroups, objects, options } = scenario;
  // The stand-in of an unreadable node has no free capacity, and new nodes like it would be of no use.
  const unread = new Set(
    objects.excludedNodes.filter(({ reason }) => reason === 'UnreadableNode').map(({ node }) => node),
  );
  const nodes = new Map(objects.nodes.filter(({ name }) => !unread.has(name)).map((node) => [node.name, node]));
  const daemonSets = daemonSetsAmong(objects.controllers);
  const carrying = nodesOfDaemons(objects.pods);
  const templates = new Map<GroupName, GroupTemplate>();
  eachGroup(nodeGroups, (group) => {
    if (group.invalid !== null) {
      return;
    }
    const source = group.template ?? liveTemplate(group, nodes, objects.pods, options);
    if (source !== null) {
      const counted = daemonSets.filter((of) => options.forceDs || runsOn(of, group, carrying));
      const all = [source, ...group.alternatives] as const;
      const daemons = { sets: counted, isEstablished: isEstablishedOn(group, carrying), objects };
      const made = withDaemons(all, daemons, options);
      const prices = { ...nodePricesOf(group), template: source.node };
      const { name, provider, capacityType } = group;
      templates.set(name, { group: name, provider, capacityType, prices, ...made });
    }
  });
  return templates;
}

type WithDaemons = Omit<GroupTemplate, 'group' | 'provider' | 'capacityType' | 'prices'>;

/** A result of a template, and the inputs that it was made of. */
interface CachedTemplate {
  readonly of: readonly unknown[];
  readonly result: WithDaemons;
}

const lastMade = new WeakMap<NodeTemplate, CachedTemplate>();

/** Inputs that decide which daemons a template carries. */
interface DaemonInput {
  readonly sets: readonly Controller[];
  readonly isEstablished: IsEstablished;
  /** The volumes of daemons are among them. */
  readonly objects: ClusterObjects;
}

/** Groups change rarely: what was made of the very same templates, DaemonSets and options is the same again. */
function withDaemons(
  all: readonly [NodeTemplate, ...NodeTemplate[]],
  { sets, isEstablished, objects }: DaemonInput,
  options: Options,
): WithDaemons {
  const known = all.flatMap(({ pods }) => pods);
  const of = [options, ...all, ...sets, ...establishedAmong(known, sets, isEstablished)];
  const last = lastMade.get(all[0]);
  if (last?.of.length === of.length && of.every((one, i) => one === last.of[i])) {
    return last.result;
  }
  const { chosen, node, shapes, most } = mixed(all, options);
  const daemons = daemonsOf(node, chosen.pods, sets, isEstablished);
  const carried = carriedByNode(node, daemons, objects);
  const result = { node, daemons, ...carried, free: freeBeside(node, carried.pods), shapes, most };
  // Claims and volumes come and go without any change of a template.
  if (!daemons.some(({ pod }) => hasClaims(pod.spec))) {
    lastMade.set(all[0], { of, result });
  }
  return result;
}

/** The daemons that get places on an empty node, as if there were no other. */
export function carriedByNode(node: Node, daemons: readonly Daemon[], objects: ClusterObjects): NodeDaemons {
  const alone = { ...objects, nodes: [node], pods: [] };
  const snapshot = clusterSnapshot(alone, followedPods(daemons));
  return scheduleDaemons(daemons, required(snapshot.byName(node.name), node.name), {
    snapshot,
    scheduler: createScheduler(snapshot, alone),
  });
}

/** Capacity of a node beside these pods. */
export function freeBeside({ allocatable }: Node, pods: readonly Pod[]): Resources {
  const free = { ...allocatable };
  for (const pod of pods) {
    const requests: Resources = { ...podRequests(pod), [PODS]: 1 };
    for (const name in requests) {
      if (Object.hasOwn(free, name)) {
        free[name] = getOwn(free, name) - getOwn(requests, name);
      }
    }
  }
  return free;
}

/** The template to plan with, of all the shapes of the next node (`mixedGroupTemplates`). */
function mixed(
  all: readonly [NodeTemplate, ...NodeTemplate[]],
  options: Options,
): Pick<GroupTemplate, 'node' | 'shapes' | 'most'> & { readonly chosen: NodeTemplate } {
  const chosen = options.mixedGroupTemplates === 'smallest' ? smallest(all) : all[0];
  const node = cleaned(chosen.node, options);
  if (all.length === 1 || options.mixedGroupTemplates !== 'each') {
    return { chosen, node, shapes: [], most: node.capacity };
  }
  const shapes = all.map((template) => cleaned(template.node, options));
  return {
    chosen,
    node: {
      ...node,
      capacity: leastOf(shapes.map(({ capacity }) => capacity)),
      allocatable: leastOf(shapes.map(({ allocatable }) => allocatable)),
    },
    shapes,
    most: shapes.reduce((most, { capacity }) => maxResources(most, capacity), NO_RESOURCES),
  };
}

/** The one with the least CPU, then the least memory; the first of equals. */
const smallest = (all: readonly NodeTemplate[]): NodeTemplate =>
  firstItem(all.toSorted((a, b) => differenceOf(a, b, CPU) || differenceOf(a, b, MEMORY)));

const differenceOf = (a: NodeTemplate, b: NodeTemplate, resource: string): number =>
  (a.node.allocatable[resource] ?? 0) - (b.node.allocatable[resource] ?? 0);

/** The minimum of every resource. */
function leastOf(all: readonly Resources[]): Resources {
  const [first = {}, ...others] = all;
  return Object.fromEntries(
    Object.entries(first)
      .filter(([name]) => others.every((other) => name in other))
      .map(([name, amount]) => [name, Math.min(amount, ...others.map((other) => getOwn(other, name)))]),
  );
}

function liveTemplate(
  group: NodeGroup,
  nodes: ReadonlyMap<NodeName, Node>,
  pods: readonly Pod[],
  options: Options,
): NodeGroup['template'] {
  const live = group.nodes
    .map((name) => nodes.get(name))
    .find((node) => node !== undefined && isReady(node, options) && !node.unschedulable && !isLeaving(node));
  if (live === undefined) {
    return null;
  }
  return { node: live, pods: pods.filter((pod) => pod.nodeName === live.name && (isDaemon(pod) || isMirror(pod))) };
}

function cleaned(node: Node, options: Options): Node {
  const stays = ({ key }: Taint): boolean =>
    !isPassingTaint(key) && !isStartupTaintOf(options, key) && !options.statusTaint.includes(key);
  return { ...node, taints: node.taints.filter(stays), unschedulable: false, deletedAt: null };
}

/** Puts a new node of a group into a snapshot, with its daemons (`isFromTemplate`). Its name must be new. */
export function addTemplateNode(
  snapshot: Snapshot,
  template: GroupTemplate,
  name: string,
  daemons: readonly PodKind[],
): NodeInfo {
  const unique = nodeName(name);
  const node: Node = {
    ...template.node,
    capacity: template.most,
    name: unique,
    uid: name,
    labels: { ...template.node.labels, [HOSTNAME_LABEL]: name },
  };
  const info = snapshot.addNode(node, template.group);
  for (const kind of daemons) {
    snapshot.place(kind, info);
  }
  return info;
}
