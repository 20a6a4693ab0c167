import { ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { PodSpec } from '../../core/model/cluster/pod.ts';
import type { NodeRequirement } from '../../core/model/cluster/selectors.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { Workload } from '../../simulation/cluster/workload.ts';
import { BOUND_TO_LABEL, type Pool, poolsOfWorkloads } from './pools.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** Its name among what is drawn. */
export const ZONE_AFFINITY = 'zone affinity';

/** The part of the runs whose pods are bound to zones, where a pool has groups for several. */
const PART = 0.12;

export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/**
 * In some runs each pod may run in one zone alone, and each group is of one zone. What a pool needs can be told zone by
 * zone then: no node of one zone serves a pod of another.
 */
export function withZones(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const several = scenario.pools.filter((pool) => zonesOf(pool).size > 1);
  const part = always.includes(ZONE_AFFINITY) ? 1 : PART;
  if (several.length === 0 || chanceFor(scenario.seed, ZONE_AFFINITY).next() >= part) {
    return scenario;
  }
  const pools = poolsOfWorkloads(scenario);
  const bound = (workload: Workload): Workload => {
    const pool = pools.get(`${workload.namespace}/${workload.name}`);
    return pool === undefined || !several.includes(pool)
      ? workload
      : boundToZone(workload, [...zonesOf(pool).keys()], chanceFor(scenario.seed, `zone of ${workload.name}`));
  };
  return {
    ...scenario,
    groups: inOneZoneEach(scenario.groups, several),
    pools: scenario.pools.flatMap((pool) =>
      several.includes(pool) ? [...zonesOf(pool)].map(([zone, groups]): Pool => ({ ...pool, zone, groups })) : pool,
    ),
    steps: scenario.steps.map((step) => (step.kind === 'apply' ? { ...step, workload: bound(step.workload) } : step)),
    drawn: [...scenario.drawn, ZONE_AFFINITY],
  };
}

/**
 * Groups by zone: a pool has groups of its own for each zone, numbered in their names; a group without a number is in
 * the first zone.
 */
export const zonesOf = ({ groups }: Pool): ReadonlyMap<string, Pool['groups'][number][]> =>
  Map.groupBy(groups, (name) => ZONES[Number(/-(\d)$/.exec(name)?.[1] ?? 1) - 1]!);

/** Binds each group of these pools to one zone. */
export function inOneZoneEach(
  groups: readonly SimulatedScalingGroup[],
  pools: readonly Pool[],
): readonly SimulatedScalingGroup[] {
  const zones = new Map(
    pools.flatMap((pool) => [...zonesOf(pool)].flatMap(([zone, names]) => names.map((name) => [name, zone]))),
  );
  return groups.map((group) => {
    const zone = zones.get(group.name);
    return zone === undefined ? group : { ...group, zones: [zone] };
  });
}

/** A workload is bound to the same zone, and by the same means, in all of its steps. */
function boundToZone(workload: Workload, zones: readonly string[], chance: Chance): Workload {
  const zone = chance.oneOf(zones);
  const others = ZONES.filter((other) => other !== zone);
  const means: readonly Partial<PodSpec>[] = [
    { nodeSelector: { ...workload.spec.nodeSelector, [ZONE_LABEL]: zone } },
    required({ key: ZONE_LABEL, operator: 'In', values: [zone] }),
    required({ key: ZONE_LABEL, operator: 'NotIn', values: others }),
  ];
  return {
    ...workload,
    labels: { ...workload.labels, [BOUND_TO_LABEL]: zone },
    spec: { ...workload.spec, ...chance.oneOf(means) },
  };
}

const required = (one: NodeRequirement): Partial<PodSpec> => ({
  nodeAffinity: [{ matchExpressions: [one], matchFields: [] }],
});
