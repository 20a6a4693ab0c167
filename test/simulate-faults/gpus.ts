import type { Options } from '../../core/model/options.ts';
import type { PodSpec } from '../../core/model/cluster/pod.ts';
import { gpusIn } from '../../core/model/cluster/gpu.ts';
import { CPU, type Resources } from '../../core/model/values/resources.ts';
import { chanceFor, type Span } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import { nodeUnits, UNIT_CPU } from './node-sizes.ts';
import { type Pool, POOL_LABEL } from './pools.ts';
import type { Step } from './step.ts';

interface AboutGpus {
  readonly seed: number;
  readonly options: Options;
  readonly groups: readonly ScalingGroup[];
  readonly pools: readonly Pool[];
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

/** Its name among what is drawn. */
export const GPUS = 'GPUs';

/** The part of the runs that have a pool with them. */
const PART = 0.1;
export const GPU = 'nvidia.com/gpu';
const POD_CPU = 100;

/** From a node's being ready to its device plugin's announcement: the driver may have to be installed. */
const ANNOUNCED: readonly Span[] = [
  { min: 2_000, max: 20_000 },
  { min: 10_000, max: 150_000 },
];

/** Where nodes await their pods, some images have the plugin and the driver: the devices are there when the node is looked at. */
const WITH_THE_IMAGE: Span = { min: 0, max: 200 };

/**
 * In some runs the nodes of one pool have GPUs, one for each unit, and its pods ask for as many as they have units, and for
 * little else. A node is ready before its device plugin has announced them; with planned placement it is opened when they are
 * announced, or half a minute after it became ready, and pods that ask for them are nominated only to one that has them.
 */
export function withGpus<Scenario extends AboutGpus>(scenario: Scenario, always: readonly string[]): Scenario {
  const chance = chanceFor(scenario.seed, GPUS);
  const isDrawn = chance.next() < PART || always.includes(GPUS);
  if (!isDrawn) {
    return scenario;
  }
  const { name, ofVolumes } = scenario.pools[chance.within({ min: 0, max: scenario.pools.length - 1 })]!;
  if (ofVolumes === true) {
    return scenario;
  }
  const plugins = scenario.drawn.includes('plannedPlacement') ? [...ANNOUNCED, WITH_THE_IMAGE] : ANNOUNCED;
  const announced = plugins[chance.within({ min: 0, max: plugins.length - 1 })]!;
  const groups = scenario.groups.map((group): ScalingGroup => {
    const pool = scenario.pools.find((one) => one.name === name && one.groups.includes(group.name));
    if (pool === undefined) {
      return group;
    }
    const gpus: Resources = { [GPU]: nodeUnits(pool, group) };
    return {
      ...group,
      capacity: { ...group.capacity, ...gpus },
      allocatable: { ...group.allocatable, ...gpus },
      devices: { names: [GPU], announced },
    };
  });
  const steps = scenario.steps.map((step) =>
    step.kind === 'apply' && step.workload.spec.nodeSelector[POOL_LABEL] === name
      ? { ...step, workload: { ...step.workload, spec: withGpuRequests(step.workload.spec) } }
      : step,
  );
  // New pods with GPUs are waited for no longer than others: what is to be bought at once can be told then.
  const options = {
    ...scenario.options,
    unschedulablePodWithGpuTimeBuffer: scenario.options.unschedulablePodTimeBuffer,
  };
  return { ...scenario, groups, steps, options, drawn: [...scenario.drawn, GPUS] };
}

const withGpuRequests = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map((container) => ({
    ...container,
    requests: gpuRequests(container.requests[CPU]! / UNIT_CPU),
  })),
});

/** What a pod of so many units asks for in a pool of nodes with GPUs. */
export const gpuRequests = (units: number): Resources => ({ [CPU]: POD_CPU, [GPU]: units });

/** Have the nodes of a pool GPUs? */
export const hasGpus = (pool: Pool, groups: readonly ScalingGroup[]): boolean =>
  groups.some(({ name, allocatable }) => pool.groups.includes(name) && gpusIn(allocatable) > 0);
