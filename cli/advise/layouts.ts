import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import type { DemoLoad, LoadStep } from '@outrigger/simulation/load/load.ts';
import { nodeOfType, type Pool } from './pools.ts';

/** Other instance types for the groups of a pool. */
export interface PoolChange {
  readonly pool: Pool;
  /** All instance types of the pool then: its own among them stay as they are. */
  readonly types: readonly string[];
}

/** Node groups as they could be; without changes, as they are. */
export type Layout = readonly PoolChange[];

/** The same load on other node groups. A group of each new type is in the zones of each group that goes, with room for as many CPUs. */
export function withLayout(load: DemoLoad, layout: Layout): DemoLoad {
  return layout.reduce(withChange, load);
}

function withChange(load: DemoLoad, { pool, types }: PoolChange): DemoLoad {
  const added = types.filter((type) => !pool.types.includes(type));
  const sites = [...Map.groupBy(pool.groups, ({ zones }) => zones.join(' ')).values()].map((there) => {
    const replaced = there.filter(({ instanceType }) => !types.includes(instanceType));
    return { replaced, groups: added.map((type, index) => groupOf(type, there, index === 0 ? replaced : [])) };
  });
  const heirs = new Map<GroupName, GroupName | null>(
    sites.flatMap(({ replaced, groups }) => replaced.map(({ name }) => [name, groups[0]?.name ?? null] as const)),
  );
  return {
    ...load,
    groups: [...load.groups.filter(({ name }) => !heirs.has(name)), ...sites.flatMap(({ groups }) => groups)],
    steps: load.steps.flatMap((step) => inherited(step, heirs)),
  };
}

/**
 * A group of another type.
 *
 * @param there groups of the pool in the same zones.
 * @param replaced groups whose minimum and initial nodes the new group takes over.
 */
function groupOf(
  type: string,
  there: readonly SimulatedScalingGroup[],
  replaced: readonly SimulatedScalingGroup[],
): SimulatedScalingGroup {
  const like = firstItem(there);
  const node = nodeOfType(type, like);
  const nodesFor = (groups: readonly SimulatedScalingGroup[], size: 'minSize' | 'maxSize' | 'desiredSize'): number =>
    Math.ceil(groups.reduce((sum, group) => sum + group[size] * cpusOf(group), 0) / cpusOf(node));
  const desiredSize = nodesFor(replaced, 'desiredSize');
  return {
    ...like,
    ...node,
    name: groupName(`${like.name}, ${type}`),
    minSize: Math.min(desiredSize, nodesFor(replaced, 'minSize')),
    desiredSize,
    maxSize: Math.max(desiredSize, nodesFor(there, 'maxSize')),
  };
}

const cpusOf = ({ capacity }: Pick<SimulatedScalingGroup, 'capacity'>): number => capacity[CPU] ?? 1;

/** Interruptions of a replaced group hit its heir. A shortage of one instance type does not. */
function inherited(step: LoadStep, heirs: ReadonlyMap<GroupName, GroupName | null>): readonly LoadStep[] {
  if (step.kind !== 'interruption' && step.kind !== 'capacity') {
    return [step];
  }
  const heir = heirs.get(step.group);
  if (heir === undefined) {
    return [step];
  }
  return step.kind === 'capacity' || heir === null ? [] : [{ ...step, group: heir }];
}
