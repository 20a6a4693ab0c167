import { isDaemon, isFinished } from '../../../core/model/cluster/pod.ts';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import type { ApiServer } from '../../../simulation/cluster/api-server.ts';
import type { Cloud, GroupView } from '../../../simulation/cloud/group-view.ts';
import type { Clock } from '../../../simulation/clock.ts';
import type { WorldEvent } from '../../../simulation/world-event.ts';
import type { Stage, Watch } from '../invariants/invariant.ts';
import { nodeUnits } from '../node-sizes.ts';
import { isOf, type Pool, poolsOfWorkloads, SIZE_LABEL } from '../pools.ts';

/** Totals of one run. Nothing in it is taken from the state of the product. */
export interface RunQuality {
  /** Unit-hours of all instances, from their launch until they have ended. */
  readonly usedHours: number;
  /** Unit-hours without which pods could not have run where they ran, or groups would have been below their minimum. */
  readonly neededHours: number;
  readonly launched: number;
  readonly removedEarly: number;
  readonly evicted: number;
  /** Hours of pods on nodes. */
  readonly podHours: number;
  /** Seconds beyond a boot, of each pod whose node became ready after the pod was created. */
  readonly waits: readonly number[];
}

export interface QualityObserver {
  readonly watch: Watch;
  readonly quality: () => RunQuality;
}

/** The removal of a node within this time of its launch counts as early. */
const EARLY = minutes(15);
const SAMPLE_EVERY = seconds(10);
const HOUR = minutes(60);

/** The parts of a stage that are observed. */
export interface Observed {
  readonly scenario: Pick<Stage['scenario'], 'pools' | 'steps'>;
  readonly world: {
    readonly clock: Pick<Clock, 'now'>;
    readonly api: Pick<ApiServer, 'pods'>;
    readonly scaling: Pick<Cloud, 'groups'>;
  };
}

/** Observes the world of one run. The observer leaves the world as it is, so that the run stays the same. */
export function observeQuality({ scenario, world }: Observed): QualityObserver {
  const { clock } = world;
  const hours = { used: 0, needed: 0, pods: 0 };
  const fullFor = new Map<Pool, number>();
  let sampledAt = clock.now();
  let present = usageOf(world, scenario.pools);
  const sample = (): void => {
    const passed = (clock.now() - sampledAt) / HOUR;
    hours.used += present.used * passed;
    hours.needed += present.needed * passed;
    hours.pods += present.pods * passed;
    present.full.forEach((pool) => fullFor.set(pool, (fullFor.get(pool) ?? 0) + clock.now() - sampledAt));
    sampledAt = clock.now();
    present = usageOf(world, scenario.pools);
  };
  const removals = countRemovals();
  const ofWorkloads = poolsOfWorkloads(scenario);
  const waits = measureWaits((of) => {
    const pool =
      'workload' in of ? ofWorkloads.get(of.workload) : scenario.pools.find(({ groups }) => groups.includes(of.group));
    return pool === undefined ? 0 : (fullFor.get(pool) ?? 0);
  });
  let evicted = 0;
  return {
    watch: {
      step: () => {
        if (clock.now() - sampledAt >= SAMPLE_EVERY) {
          sample();
        }
      },
      event: (event) => {
        removals.note(event);
        waits.note(event);
        evicted += event.kind === 'PodEvicted' ? 1 : 0;
      },
      ended: sample,
    },
    quality: () => ({
      usedHours: hours.used,
      neededHours: hours.needed,
      podHours: hours.pods,
      launched: removals.launched(),
      removedEarly: removals.early(),
      evicted,
      waits: waits.seconds(),
    }),
  };
}

interface Usage {
  readonly used: number;
  readonly needed: number;
  readonly pods: number;
  /** All groups of these have their maximum size. */
  readonly full: readonly Pool[];
}

/** In units, at present. */
function usageOf({ api, scaling }: Observed['world'], pools: readonly Pool[]): Usage {
  const views = scaling.groups();
  const pods = [...api.pods.values()].filter((pod) => pod.nodeName !== null && !isDaemon(pod) && !isFinished(pod));
  let used = 0;
  let needed = 0;
  const full: Pool[] = [];
  for (const pool of pools) {
    const groups = views.filter(({ group }) => pool.groups.includes(group.name));
    const requested = pods.reduce((sum, pod) => sum + (isOf(pool, pod) ? Number(pod.labels[SIZE_LABEL]) : 0), 0);
    used += groups.reduce((sum, view) => sum + instancesOf(view) * nodeUnits(pool, view.group), 0);
    needed += neededUnits(pool, groups, requested);
    if (groups.every(({ group, desired }) => desired >= group.maxSize)) {
      full.push(pool);
    }
  }
  return { used, needed, pods: pods.length, full };
}

/** Instances in Standby cost as much as the others. */
const instancesOf = ({ instances, aside = [] }: GroupView): number =>
  instances.filter(({ failed = false }) => !failed).length + aside.length;

/** Whole nodes of the smallest size for the pods, and the nodes of the groups' minimums that exist: no fewer would do. */
function neededUnits(pool: Pool, groups: readonly GroupView[], requested: number): number {
  const smallest = Math.min(...groups.map(({ group }) => nodeUnits(pool, group)));
  const minimums = groups.reduce(
    (sum, view) => sum + Math.min(view.group.minSize, instancesOf(view)) * nodeUnits(pool, view.group),
    0,
  );
  return groups.length === 0 ? 0 : Math.max(minimums, Math.ceil(requested / smallest) * smallest);
}

/** Counts launches, and nodes that the product has removed soon after theirs. */
function countRemovals() {
  const launchedAt = new Map<InstanceId, EpochMs>();
  const early = new Set<InstanceId>();
  let launched = 0;
  return {
    note: (event: WorldEvent): void => {
      if (event.kind === 'InstanceLaunched') {
        launched += 1;
        launchedAt.set(event.instance, event.at);
      } else if (event.kind === 'InstanceTerminated' && event.at - (launchedAt.get(event.instance) ?? 0) <= EARLY) {
        early.add(event.instance);
      }
    },
    launched: () => launched,
    early: () => early.size,
  };
}

/** Instances take time from their launch to the readiness of their node, which nobody can shorten. */
interface Boot {
  readonly launchedAt: number;
  readonly readyAt: EpochMs;
  /** Milliseconds for which its pool had been full. */
  readonly full: number;
}

/**
 * Measures how long pods wait for nodes beyond the boots: before the launch, as long as a group of their pool may grow, and
 * after the node is ready.
 *
 * @param fullFor milliseconds for which all groups of the pool of a group, or of a workload, have had their maximum size so far
 */
function measureWaits(fullFor: (of: { readonly group: GroupName } | { readonly workload: string }) => number) {
  const created = new Map<PodKey, { readonly at: EpochMs; readonly full: number }>();
  const launched = new Map<InstanceId, Pick<Boot, 'launchedAt' | 'full'>>();
  const boots = new Map<NodeName, Boot>();
  const waited: number[] = [];
  const bound = ({ pod, node, at }: Extract<WorldEvent, { readonly kind: 'PodBound' }>): void => {
    const since = created.get(pod);
    const boot = boots.get(node);
    if (since !== undefined && boot !== undefined && boot.readyAt > since.at) {
      const beforeLaunch = Math.max(0, boot.launchedAt - since.at - Math.max(0, boot.full - since.full));
      waited.push((beforeLaunch + at - boot.readyAt) / 1_000);
    }
  };
  return {
    note: (event: WorldEvent): void => {
      if (event.kind === 'InstanceLaunched') {
        launched.set(event.instance, { launchedAt: event.at, full: fullFor(event) });
      } else if (event.kind === 'NodeReady') {
        boots.set(event.node, { launchedAt: 0, full: 0, ...launched.get(event.instance), readyAt: event.at });
      } else if (event.kind === 'DevicesAnnounced') {
        boots.set(event.node, { launchedAt: 0, full: 0, ...boots.get(event.node), readyAt: event.at });
      } else if (event.kind === 'PodCreated') {
        created.set(event.pod, { at: event.at, full: fullFor(event) });
      } else if (event.kind === 'PodBound') {
        bound(event);
      }
    },
    seconds: () => waited,
  };
}
