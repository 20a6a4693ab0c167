import type { PodSpec } from '../../core/model/cluster/pod.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { Workload } from '../../providers/simulated/workload.ts';
import { DAEMON_CPU } from './node-sizes.ts';
import { isOf, type Pool, SIZE_LABEL } from './pools.ts';
import type { Step } from './step.ts';

interface AboutLimits {
  readonly seed: number;
  readonly groups: readonly ScalingGroup[];
  readonly pools: readonly Pool[];
  readonly steps: readonly Step[];
  readonly attachLimits: Readonly<Record<string, number>>;
  readonly drawn: readonly string[];
}

/** Its name among what is drawn. */
export const ATTACH_LIMITS = 'attach limits';

/** The part of the runs that have it, where a pool is of one zone. */
const PART = 0.15;
/** Instances of a family that no other pool has: how many volumes they attach depends on it. */
const FAMILY = 'i4i';
/** For each of a pod's volumes: those with the most are planned first, as their units are. */
const VOLUME_CPU = 50;

/**
 * The volumes of the pods for which a node of the group has CPU: as many as it may be taken to attach where nothing tells its limit,
 * since there is no node of its type.
 */
export const volumesByCpu = ({ allocatable }: Pick<ScalingGroup, 'allocatable'>): number =>
  Math.floor((allocatable[CPU]! - DAEMON_CPU) / VOLUME_CPU);

/**
 * In some runs all pods of a pool that is of one zone have one volume or two, and ask for little else: how many of these a node
 * attaches, two to four, decides how many nodes they need. A unit of these pools is a volume.
 */
export function withAttachLimits<Scenario extends AboutLimits>(
  scenario: Scenario,
  always: readonly string[],
): Scenario {
  const { seed, groups } = scenario;
  const chance = chanceFor(seed, ATTACH_LIMITS);
  const isDrawn = chance.next() < PART || always.includes(ATTACH_LIMITS);
  const own = scenario.pools.filter((pool) => pool.units > 1 && zoneOf(pool, groups) !== null);
  if (!isDrawn || own.length === 0) {
    return scenario;
  }
  const { name } = own[chance.within({ min: 0, max: own.length - 1 })]!;
  const limited = own.filter((pool) => pool.name === name);
  const limit = chance.within({ min: 2, max: 4 });
  const change = (workload: Workload): Workload => {
    const pool = limited.find((one) => isOf(one, workload));
    return pool === undefined
      ? workload
      : {
          ...workload,
          ...withVolumes(workload, zoneOf(pool, groups)!, chanceFor(seed, `volumes of ${workload.name}`).next() < 0.5),
        };
  };
  const ofFamily = (group: ScalingGroup): ScalingGroup =>
    limited.some((pool) => pool.groups.includes(group.name))
      ? { ...group, instanceType: group.instanceType.replace(/^\w+/, FAMILY) }
      : group;
  const changed = groups.map(ofFamily);
  return {
    ...scenario,
    groups: changed,
    pools: scenario.pools.map((pool) =>
      limited.includes(pool) ? { ...pool, units: limit, ofVolumes: true as const } : pool,
    ),
    steps: scenario.steps.map((step) => (step.kind === 'apply' ? { ...step, workload: change(step.workload) } : step)),
    attachLimits: Object.fromEntries(
      changed.flatMap(({ instanceType }) => (instanceType.startsWith(FAMILY) ? [[instanceType, limit]] : [])),
    ),
    drawn: [...scenario.drawn, ATTACH_LIMITS],
  };
}

/** The only zone of all groups of a pool; `null`: they have several. */
function zoneOf(pool: Pool, groups: readonly ScalingGroup[]): string | null {
  const zones = new Set(groups.flatMap(({ name, zones: own }) => (pool.groups.includes(name) ? own : [])));
  return zones.size === 1 ? [...zones][0]! : null;
}

/** As many as it has units, two at the most. */
function withVolumes({ labels, spec }: Workload, zone: string, waits: boolean): Partial<Workload> {
  const each = Math.min(2, Number(labels[SIZE_LABEL]));
  return {
    kind: 'StatefulSet',
    runsFor: null,
    labels: { ...labels, [SIZE_LABEL]: String(each) },
    spec: withCpu(spec, each * VOLUME_CPU),
    volumes: { zone, waits, each },
  };
}

const withCpu = (spec: PodSpec, cpu: number): PodSpec => ({
  ...spec,
  containers: spec.containers.map((container) => ({
    ...container,
    requests: { ...container.requests, [CPU]: cpu },
  })),
});
