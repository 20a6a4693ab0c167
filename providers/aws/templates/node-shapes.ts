import { ARCH_LABEL, INSTANCE_TYPE_LABEL, type Node, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import { PODS } from '@outrigger/core/model/values/resources.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { addressLimit, maxPods } from './allocatable.ts';
import type { Launches, TypeLaunch } from '../launches/launches.ts';
import type { InstanceType } from '../launches/instance-types.ts';
import { anyNode, type Sample, templateOfLiveNode } from '../../node-groups/templates/live-node.ts';
import type { ManagedNodeGroup } from '../groups/managed-node-groups.ts';
import type { ClusterLabels, NodeQuery } from './observed.ts';
import type { ScalingGroup } from '../groups/scaling-group.ts';
import { believed } from './stated-amounts.ts';
import { labelsInZone } from './template-labels.ts';
import { buildTemplate, osOf, storageOf } from './template.ts';
import type { PodLimit } from '../launches/user-data.ts';

/** A group and its nodes. */
export interface GroupNodes {
  readonly group: ScalingGroup;
  readonly nodes: readonly Node[];
  /** The node that best represents the next one; `null` where none is suitable. */
  readonly sample: Sample | null;
  /** The same for each instance type. */
  readonly live: ReadonlyMap<string, Sample>;
}

/** Facts about a group beside its nodes. */
export interface Knowledge {
  readonly region: string;
  /** `null` where the live nodes show every shape and launches were not read. */
  readonly launches: Result<Launches, string> | null;
  readonly managed: ManagedNodeGroup | null;
  readonly cluster: ClusterLabels;
  /** A live node of another group that has the resources of the node in question. */
  readonly observe: (query: NodeQuery) => Node | null;
  /** EC2's description of an instance type, as the group starts it where that is known; `null` where it was not read. */
  readonly typeOf: (name: string) => InstanceType | null;
}

/** Every shape of a group's next node, in order of preference. */
export interface Shapes {
  readonly templates: readonly [NodeTemplate, ...NodeTemplate[]];
  /** Number of instance types that were left out because there are more than `MOST_SHAPES` allows. */
  readonly typesLeftOut: number;
  /** Live nodes that state more than their instance type has: node, type and resources, in words. */
  readonly misstated: readonly string[];
}

/** Attributes match up to some 400 types, in up to six zones; evaluating all of them is not worth the time. */
const MOST_SHAPES = 200;

/**
 * Every instance type and zone that a group's next node may be of, type by type.
 *
 * The template of a type with a suitable live node in the group is that node, in every zone. Other types are built from
 * AWS' description, with labels and taints of the group's nodes where there are any. The template of a group with a
 * single type is its newest suitable node, whatever its type. Of more than 200 shapes those of the smallest types are
 * kept, by each resource.
 *
 * @returns or why no shape is known, in words.
 */
export function shapesOf(own: GroupNodes, knowledge: Knowledge): Result<Shapes, string> {
  const { group } = own;
  const misstated: string[] = [];
  const byType = oneOfEachType(own, knowledge, misstated);
  if (!byType.ok) {
    return byType;
  }
  const zones = zonesOf(group, byType.value[0]);
  const kept = smallest(byType.value, Math.max(1, Math.floor(MOST_SHAPES / zones.length)));
  const [first, ...others] = kept.flatMap((template) => zones.map((zone) => inZone(template, zone, group, knowledge)));
  return ok({ templates: [first!, ...others], typesLeftOut: byType.value.length - kept.length, misstated });
}

/** Whether live nodes do not show every shape, so that launches have to be read. */
export function needsLaunches({ group, sample, live }: GroupNodes): boolean {
  return (
    sample === null ||
    (group.mixed &&
      group.launches.some(
        (launch) => launch.kind !== 'template' || launch.instanceType === null || !live.has(launch.instanceType),
      ))
  );
}

/** Queries in other groups, for each type that a group may start and has no suitable node of. */
export const queriesOf = (
  own: GroupNodes,
  managed: ManagedNodeGroup | null,
  { types }: Launches,
): readonly NodeQuery[] =>
  types
    .filter(({ type }) => !own.live.has(type.name))
    .map((launch) => queryFor(own, managed, launch, podLimitOf(launch, siblingOf(own), types)));

function queryFor(
  own: GroupNodes,
  managed: ManagedNodeGroup | null,
  launch: TypeLaunch,
  podLimit: PodLimit,
): NodeQuery {
  const parts = { launch, managed, sibling: siblingOf(own) };
  return { group: own.group, launch, podLimit, os: osOf(parts), storage: storageOf(parts) };
}

const siblingOf = ({ sample }: GroupNodes): Node | null => sample?.node ?? null;

/** @param misstated what live nodes state and is not believed is added. */
function oneOfEachType(
  own: GroupNodes,
  { region, launches, managed, observe, typeOf }: Knowledge,
  misstated: string[],
): Result<readonly [NodeTemplate, ...NodeTemplate[]], string> {
  const { group, nodes, sample, live } = own;
  const asShown = (shown: Sample, launch: TypeLaunch | null = null): NodeTemplate => {
    let { node } = shown;
    const type = launch?.type ?? typeOf(node.labels[INSTANCE_TYPE_LABEL] ?? '');
    if (type !== null) {
      const { node: plausible, refused } = believed(shown, type, launch?.data.userData.kubelet);
      if (refused.length > 0) {
        misstated.push(`node ${node.name} of type ${type.name} (${refused.join(', ')})`);
      }
      node = plausible;
    }
    return templateOfLiveNode(group.name, node, group.parsedTags.resources);
  };
  const sibling = siblingOf(own);
  const [zone] = group.zones;

  if (launches?.ok === true && zone !== undefined) {
    const { types } = launches.value;
    const [first, ...others] = types.map((launch) => {
      const shown = live.get(launch.type.name);
      if (shown !== undefined) {
        return asShown(shown, launch);
      }
      const podLimit = podLimitOf(launch, sibling, types);
      return buildTemplate({
        group,
        region,
        zone,
        launch,
        podLimit,
        managed,
        sibling,
        observed: observe(queryFor(own, managed, launch, podLimit)),
      });
    });
    return ok([first!, ...others]);
  }
  if (sample !== null) {
    const types = group.mixed ? [...live.values()] : [sample];
    const others = types.filter(({ node }) => node.name !== sample.node.name);
    return ok([asShown(sample), ...others.map((one) => asShown(one))]);
  }
  const any = anyNode(nodes);
  if (any !== null) {
    return ok([asShown({ node: any, confirmed: false })]);
  }
  return launches?.ok === false ? launches : err('it has no availability zone');
}

/** An image that assigns addresses by prefix does so on every type: a live sibling with that limit of pods shows it. */
function podLimitOf({ data }: TypeLaunch, sibling: Node | null, types: readonly TypeLaunch[]): PodLimit {
  const { podLimit } = data.userData;
  const type = types.find(({ type: { name } }) => name === sibling?.labels[INSTANCE_TYPE_LABEL])?.type;
  if (podLimit.kind !== 'addresses' || sibling === null || type === undefined) {
    return podLimit;
  }
  const pods = sibling.capacity[PODS];
  if (pods !== addressLimit(type) && pods === maxPods(type, { kind: 'prefixes' })) {
    return { kind: 'prefixes' };
  }
  return podLimit;
}

/** A node without a zone label counts for one zone only. AWS derives a group's zones from its subnets. */
function zonesOf({ zones }: ScalingGroup, { node }: NodeTemplate): readonly string[] {
  const shown = node.labels[ZONE_LABEL];
  if (shown === undefined) {
    return [''];
  }
  return zones.length === 0 ? [shown] : zones;
}

function inZone(
  { node, pods }: NodeTemplate,
  zone: string,
  { parsedTags }: ScalingGroup,
  { cluster }: Knowledge,
): NodeTemplate {
  const labels =
    zone === '' ? node.labels : labelsInZone(node.labels, zone, parsedTags.labels, cluster.zoneIds.get(zone));
  return { node: { ...node, labels: { ...cluster.everywhere, ...labels } }, pods };
}

/**
 * A number of the templates: the first, and in turn those with the least of each resource, and of each architecture. A
 * pod that fits all of those kept fits the rest too, except for a type that is in the middle by every resource and
 * still unusual.
 */
function smallest(all: readonly [NodeTemplate, ...NodeTemplate[]], count: number): readonly NodeTemplate[] {
  if (all.length <= count) {
    return all;
  }
  const least = (resource: string): readonly NodeTemplate[] =>
    all.toSorted((a, b) => (a.node.allocatable[resource] ?? 0) - (b.node.allocatable[resource] ?? 0));
  const resources = new Set(all.flatMap(({ node }) => Object.keys(node.allocatable)));
  const architectures = Map.groupBy(all, ({ node }) => node.labels[ARCH_LABEL]);
  const orders = [...[...resources].sort().map(least), ...architectures.values()];
  const kept = new Set<NodeTemplate>([all[0]]);
  for (let rank = 0; kept.size < count; rank += 1) {
    for (const order of orders) {
      const next = order[rank];
      if (next !== undefined && kept.size < count) {
        kept.add(next);
      }
    }
  }
  return all.filter((template) => kept.has(template));
}
