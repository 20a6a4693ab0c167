import { gpusIn } from '@outrigger/core/model/cluster/gpu.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { sortedBy } from '@outrigger/core/model/values/sorted.ts';
import { placeLabelsOf } from '@outrigger/core/nodegroups/similar.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import { architectureOfType, describeType, KNOWN_TYPES } from '@outrigger/simulation/load/instance-types.ts';

/** Node groups that are the same for pods: with equal labels and taints, whatever their instance types and zones are. */
export interface Pool {
  readonly groups: readonly SimulatedScalingGroup[];
  /** Instance types of the groups, in the order of their names. */
  readonly types: readonly string[];
}

/** A node group whose instance type nothing is said about. */
export interface UnadvisedGroup {
  readonly group: GroupName;
  /** In words. */
  readonly why: string;
}

/** Sorts node groups into pools. */
export function poolsOf(groups: readonly SimulatedScalingGroup[]): {
  readonly pools: readonly Pool[];
  readonly others: readonly UnadvisedGroup[];
} {
  const reasons = new Map(groups.map((group) => [group, whyUnadvised(group)]));
  const advised = groups.filter((group) => reasons.get(group) === null);
  return {
    pools: [...Map.groupBy(advised, poolKey).values()].map((alike) => ({
      groups: alike,
      types: [...new Set(alike.map(({ instanceType }) => instanceType))].toSorted(),
    })),
    others: [...reasons].flatMap(([{ name }, reason]) => mapOptional(reason, (why) => ({ group: name, why })) ?? []),
  };
}

function whyUnadvised({ instanceType, capacity, price }: SimulatedScalingGroup): string | null {
  if (price === null) {
    return 'its price is unknown';
  }
  if (gpusIn(capacity) > 0) {
    return 'its nodes have GPUs';
  }
  return describeType(instanceType) === null ? `${instanceType} is not in the list of instance types` : null;
}

/** Labels that follow from the instance type. */
const TYPE_LABELS = ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'];
const IGNORED: ReadonlySet<string> = new Set([...placeLabelsOf('aws'), ...placeLabelsOf('clusterapi'), ...TYPE_LABELS]);

const poolKey = ({ labels, taints, instanceType }: SimulatedScalingGroup): string =>
  JSON.stringify([
    architectureOfType(instanceType),
    sortedBy(
      Object.entries(labels).filter(([name]) => !IGNORED.has(name)),
      ([name]) => name,
    ),
    sortedBy(
      taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`),
      (taint) => taint,
    ),
  ]);

const isBurstable = (type: string): boolean => type.startsWith('t');

/**
 * Other instance types that nodes of a pool could have: of its architecture, and burstable only where the pool is. Of types with equal
 * nodes the cheapest is listed: a simulation would not launch the others.
 */
export function otherTypes({ types }: Pool): readonly string[] {
  const architectures = new Set(types.map(architectureOfType));
  const mayBurst = types.some(isBurstable);
  const able = KNOWN_TYPES.filter(
    (type) =>
      !types.includes(type) &&
      architectures.has(architectureOfType(type)) &&
      (mayBurst || !isBurstable(type)) &&
      gpusIn(describedType(type).capacity) === 0,
  );
  const equal = Map.groupBy(able, (type) => JSON.stringify(describedType(type).capacity));
  return [...equal.values()].map((same) =>
    same.reduce((best, type) => (describedType(type).price < describedType(best).price ? type : best)),
  );
}

/** A node of a pool with another instance type. */
export type NodeOfType = Pick<SimulatedScalingGroup, 'instanceType' | 'capacity' | 'allocatable' | 'labels' | 'price'>;

/**
 * A node of another type as a pool would have it: with what its kubelets reserve, and with the discount on the list price of us-east-1
 * that its nodes have (Spot, a savings plan, another region).
 *
 * @param like a node group of the pool.
 */
export function nodeOfType(type: string, like: SimulatedScalingGroup): NodeOfType {
  const [wanted, own] = [describedType(type), describedType(like.instanceType)];
  const amounts = (of: 'capacity' | 'allocatable'): Resources => ({
    ...like[of],
    ...Object.fromEntries(
      Object.entries(wanted[of]).map(([name, amount]) => [name, moved(name, amount, own[of][name], like[of][name])]),
    ),
  });
  return {
    instanceType: type,
    capacity: amounts('capacity'),
    allocatable: amounts('allocatable'),
    labels: labelsOfType(type, like),
    price: (wanted.price * (like.price ?? own.price)) / own.price,
  };
}

/** The labels of a node with another instance type. */
export const labelsOfType = (type: string, like: SimulatedScalingGroup): SimulatedScalingGroup['labels'] =>
  Object.fromEntries(
    Object.entries(like.labels).map(([name, value]) => [name, TYPE_LABELS.includes(name) ? type : value]),
  );

/** An amount of another type. A limit of pods that is not the one of the type's addresses stays. */
function moved(name: string, wanted: number, described = 0, observed = described): number {
  if (observed === described) {
    return wanted;
  }
  return name === PODS ? observed : Math.max(0, wanted + observed - described);
}

function describedType(type: string) {
  const described = describeType(type);
  if (described === null) {
    throw new Error(`instance type ${type} is not in the list`);
  }
  return described;
}
