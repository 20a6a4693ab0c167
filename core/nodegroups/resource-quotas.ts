import type { CapacityQuota } from '../model/cluster/capacity-quota.ts';
import type { LabelSelector } from '../model/cluster/selectors.ts';
import { isFromTemplate, type Node } from '../model/cluster/node.ts';
import { isVirtual, limitedAmounts, ofResource } from '../model/limited-amounts.ts';
import { defaultOptions, type Options } from '../model/options.ts';
import type { NodeGroup } from '../model/node-group.ts';
import { type ProviderName, providersIn } from '../model/provider.ts';
import type { Scenario } from '../model/scenario.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { getOptional, mapOptional, presentItems } from '../model/values/optional.ts';
import type { Registry } from '../registry/registry.ts';
import { compileSelector } from '../scheduling/label-selector.ts';
import type { GroupName } from '../model/values/names.ts';
import { priceOfShape } from './cost.ts';
import type { GroupTemplate } from './node-templates.ts';

/** Something that the cluster may only have so much of. */
interface Limit {
  readonly name: string;
  /** In whole numbers, so that sums are exact. */
  readonly of: (node: CountedNode) => number;
  left: number;
}

/** A node as the limits count it. */
export interface CountedNode {
  /** All that the node may turn out to be: it counts for the most that any shape has. */
  readonly shapes: readonly Node[];
  /** The template of the node's group; absent where no group is known to have the node: it costs nothing. */
  readonly template?: GroupTemplate | undefined;
  /** Possible prices of a node like the template, USD per hour: the highest price counts. */
  readonly prices: readonly (number | null)[];
}

/** A new node of the group, for the limits of the cluster. */
export const countedNode = (template: GroupTemplate): CountedNode => {
  const { node, shapes, prices } = template;
  const further = [prices.uncovered, ...prices.covered.map(({ price }) => price)];
  return { shapes: shapes.length === 0 ? [node] : shapes, template, prices: further };
};

/** A node of a snapshot, for the limits: an existing node has its own shape, another one may have any shape of its group. */
export function countedOf({ node, group }: NodeInfo, templates: ReadonlyMap<GroupName, GroupTemplate>): CountedNode {
  const template = getOptional(templates, group);
  return template !== undefined && isFromTemplate(node)
    ? countedNode(template)
    : { shapes: [node], template, prices: mapOptional(template, ({ prices }) => [prices.mean]) ?? [] };
}

/** The nodes of a snapshot, for the limits. */
export const countedOn = (
  nodes: readonly (NodeInfo | null)[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): readonly CountedNode[] => presentItems(nodes).map((info) => countedOf(info, templates));

const COST_LIMIT = 'maxCostPerHour';

/** Is this the name of a limit of cost, of the cluster or of a group? */
export const isCostLimit = (name: string): boolean => name.startsWith(COST_LIMIT);

/** Capacity that may still be added to the cluster as a whole. */
export interface ClusterLimits {
  /** How many nodes like this one may be added. */
  readonly room: (node: CountedNode) => number;
  /** The limits that forbid this number of nodes. */
  readonly exceededBy: (node: CountedNode, count?: number) => readonly string[];
  readonly add: (node: CountedNode, count?: number) => void;
  /** The same, to be used up without these. */
  readonly copy: () => ClusterLimits;
}

/** May the options limit the cluster more than by default? */
export function hasLimits(options: Options): boolean {
  const { maxNodesTotal, maxCostPerHour, coresTotal, memoryTotal, gpuTotal, capacityQuotas } = options;
  const usual = defaultOptions();
  return (
    maxNodesTotal > 0 ||
    maxCostPerHour > 0 ||
    gpuTotal.length > 0 ||
    capacityQuotas ||
    coresTotal.max < usual.coresTotal.max ||
    memoryTotal.max < usual.memoryTotal.max
  );
}

/**
 * The limits `maxNodesTotal`, `coresTotal`, `memoryTotal`, `gpuTotal` and `maxCostPerHour`, and those of CapacityQuotas, less
 * these nodes, and less further instances that the groups' targets count: an instance whose launch has failed may come as long as
 * the cloud is asked for it, and one that has ended is replaced by its group. Capacity counts, not allocatable; nodes of virtual
 * kubelets count nothing. Follows Cluster Autoscaler's resourcequotas, and `limits` of Karpenter's NodePools for the cost.
 */
export function limitsLeft(
  scenario: Scenario,
  { groups }: Pick<Registry, 'groups'>,
  nodes: readonly (NodeInfo | null)[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): ClusterLimits {
  const { options, nodeGroups, objects } = scenario;
  const limits = limitsOver([
    ...limitsOf(options, providersIn(scenario)),
    ...(options.capacityQuotas ? objects.capacityQuotas.flatMap(quotaLimits) : []),
    ...costLimits(options, nodeGroups),
  ]);
  for (const node of countedOn(nodes, templates)) {
    limits.add(node);
  }
  for (const [name, { mayCome }] of groups) {
    const template = templates.get(name);
    if (template !== undefined) {
      limits.add(countedNode(template), Math.max(0, mayCome));
    }
  }
  return limits;
}

const limitsOver = (limits: readonly Limit[]): ClusterLimits => ({
  room: (node) =>
    limits.reduce((room, limit) => {
      const each = limit.of(node);
      return each > 0 ? Math.min(room, Math.max(0, Math.floor(limit.left / each))) : room;
    }, Number.POSITIVE_INFINITY),
  exceededBy: (node, count = 1) =>
    limits.filter((limit) => limit.of(node) * count > Math.max(0, limit.left)).map(({ name }) => name),
  add: (node, count = 1) => {
    for (const limit of limits) {
      limit.left -= limit.of(node) * count;
    }
  },
  copy: () => limitsOver(limits.map((limit) => ({ ...limit }))),
});

/** The most that any shape of a node counts for. */
const mostOf =
  (of: (shape: Node) => number) =>
  ({ shapes }: CountedNode): number => {
    let most = 0;
    for (const shape of shapes) {
      most = Math.max(most, of(shape));
    }
    return most;
  };

const MICRO = 1_000_000;

/** In millionths of a USD per hour. Worked out only where a limit asks. */
const costOf = ({ shapes, template, prices }: CountedNode): number =>
  template === undefined
    ? 0
    : Math.round(
        MICRO *
          Math.max(
            ...shapes.flatMap((shape) => prices.map((price) => priceOfShape(shape, template.prices.template, price))),
          ),
      );

/** The limit of the cluster counts the nodes of all groups, that of a group its own nodes. */
function costLimits(
  { maxCostPerHour }: Options,
  groups: readonly Pick<NodeGroup, 'name' | 'options'>[],
): readonly Limit[] {
  const ofGroups = groups.map(({ name, options }) => ({
    name: `${COST_LIMIT} of ${name}`,
    most: options.maxCostPerHour ?? 0,
    of: (node: CountedNode): number => (node.template?.group === name ? costOf(node) : 0),
  }));
  return [{ name: COST_LIMIT, most: maxCostPerHour, of: costOf }, ...ofGroups]
    .filter(({ most }) => most > 0)
    .map(({ name, most, of }) => ({ name, of, left: Math.round(most * MICRO) }));
}

/**
 * The limits of a quota. Counts every resource of a node's capacity, where Cluster Autoscaler counts CPU, memory, nodes and GPUs by their
 * type. A selector that Kubernetes would not accept selects nothing, as there.
 */
function quotaLimits({ name, selector, limits }: CapacityQuota): readonly Limit[] {
  const compiled = compileSelector(selector ?? EVERY_NODE);
  if (!compiled.ok) {
    return [];
  }
  const { matches } = compiled.value;
  return Object.entries(limits).map(([resource, most]) => ({
    name: `CapacityQuota/${name} (${resource})`,
    of: mostOf((node) => (matches(node.labels) ? amountIn(node, resource) : 0)),
    left: most,
  }));
}

const EVERY_NODE: LabelSelector = Object.freeze({ matchLabels: {}, matchExpressions: [] });

/** The key of a quota for the number of nodes. */
const NODES = 'nodes';

const amountIn = (node: Node, resource: string): number =>
  resource === NODES ? Number(!isVirtual(node)) : ofResource(node, resource);

function limitsOf(options: Options, providers: readonly ProviderName[]): readonly Limit[] {
  const limits = limitedAmounts(options, providers).map(({ name, of, range, unit }): Limit => ({
    name,
    of: mostOf(of),
    left: range.max * unit,
  }));
  if (options.maxNodesTotal > 0) {
    limits.push({ name: 'maxNodesTotal', of: () => 1, left: options.maxNodesTotal });
  }
  return limits;
}
