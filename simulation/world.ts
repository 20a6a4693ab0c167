import { required } from '@outrigger/core/model/values/existing.ts';
import type { Commitment } from '@outrigger/core/model/commitment.ts';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import { keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { ClusterReader, ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import { isCandidateTaint, isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { clusterName, type GroupName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { createClusterApiGroups } from '@outrigger/providers/clusterapi/cluster-api-groups.ts';
import { type ApiServer, createApiServer } from './cluster/api-server.ts';
import { API_GROUP } from './cluster-api/objects.ts';
import { createApiCalls } from './api-call.ts';
import { type AutoScaling, startAutoScaling } from './cloud/auto-scaling.ts';
import type { Cloud } from './cloud/group-view.ts';
import { type SimulatedClusterApi, startClusterApi } from './cluster-api/cluster-api.ts';
import { chanceFor } from './chance.ts';
import { type Clock, createClock } from './clock.ts';
import { type Controllers, createControllers } from './cluster/controllers.ts';
import { createGroups } from './cloud/groups.ts';
import { startKubelets } from './cluster/kubelets.ts';
import { createReader } from './cluster/reader.ts';
import type { SimulatedScalingGroup } from './cloud/scaling-group.ts';
import { startStorage } from './cluster/storage.ts';
import { startScheduler } from './cluster/scheduler.ts';
import type { DaemonSet } from './cluster/workload.ts';
import type { Emit, WorldEvent } from './world-event.ts';
import { NO_FAULTS, type WorldFaults } from './world-faults.ts';
import { startTaintEviction } from './cluster/taint-eviction.ts';
import { createSimulatedTerminations } from './cloud/terminations.ts';
import { createWriter } from './cluster/writer.ts';

export interface SimulatedWorldOptions {
  /** The only randomness: equal options give equal worlds. */
  readonly seed: number;
  readonly start: EpochMs;
  readonly groups: readonly SimulatedScalingGroup[];
  /** On AWS, those of the groups that are not there at the start; by default none. */
  readonly later?: ReadonlySet<GroupName>;
  readonly daemonSets: readonly DaemonSet[];
  /** On AWS, instances that are paid for in any case, none of them used at the start; absent: none. */
  readonly commitments?: readonly Commitment[] | undefined;
  /** Receives what the provider of node groups warns of. */
  readonly warn?: (message: string) => void;
  /** The world's faults; by default none. */
  readonly faults?: Partial<WorldFaults>;
  /** Whether EC2 announces when it ends instances; by default it does not. */
  readonly announcesStates?: boolean;
}

/** A FailedScheduling event, as in the API server's webhook notification. */
export interface FailedScheduling {
  readonly pod: Pod;
  readonly message: string;
}

/**
 * A cluster and its cloud, in memory and on a virtual clock: node groups, instances that take time to boot, an API
 * server, a scheduler, controllers, kubelets.
 */
export interface SimulatedWorld {
  /** The provider of the world's node groups. */
  readonly provider: ProviderName;
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly scaling: Cloud;
  readonly controllers: Controllers;
  /** The world's APIs for Outrigger. */
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly groups: NodeGroups;
  /** On AWS. */
  readonly terminations?: Terminations;
  /** On AWS, announces something about instances. Nothing comes of it by itself. */
  readonly announce?: AutoScaling['announce'];
  readonly onEvent: (listener: (event: WorldEvent) => void) => void;
  readonly onFailedScheduling: (listener: (event: FailedScheduling) => void) => void;
}

/** A world on AWS: its node groups are Auto Scaling groups. */
export interface SimulatedAwsWorld extends SimulatedWorld {
  readonly scaling: AutoScaling;
}

/** A world whose node groups are resources of Cluster API, in a management cluster of their own. */
export interface ClusterApiWorld extends SimulatedWorld {
  readonly scaling: SimulatedClusterApi;
}

/** Creates a world on AWS. Nothing happens in it until its clock runs. */
export const createSimulatedWorld = (options: SimulatedWorldOptions): SimulatedAwsWorld =>
  createWorld(options, ({ calls, faults, ...given }) => {
    const { later = new Set(), announcesStates = false } = options;
    const scaling = startAutoScaling({ ...given, faults, announcesStates, later });
    const groups = createGroups(scaling, calls, faults.describeLag, options.commitments);
    return {
      provider: 'aws',
      scaling,
      groups,
      terminations: createSimulatedTerminations(scaling, calls),
      announce: scaling.announce,
    };
  });

/**
 * Creates a world on Cluster API, of groups named `MachineDeployment/NAMESPACE/NAME` or `MachineSet/…`. Outrigger reads
 * and changes the groups by its own provider of Cluster API.
 */
export const createClusterApiWorld = (options: SimulatedWorldOptions): ClusterApiWorld =>
  createWorld(options, (given) => {
    const scaling = startClusterApi(given);
    const groups = createClusterApiGroups({
      transport: scaling.transport,
      apiGroup: API_GROUP,
      cluster: clusterName('simulated'),
      inManagementCluster: false,
      discovery: [],
      machineDeployments: true,
      defaultArchitecture: 'amd64',
      warn: options.warn ?? (() => {}),
      now: given.clock.now,
      sleep: given.clock.sleep,
    });
    return { provider: 'clusterapi', scaling, groups };
  });

/** The base on which a world's node groups are made. */
type Foundation = Parameters<typeof startClusterApi>[0];

function createWorld<Scaling extends Cloud>(
  options: SimulatedWorldOptions,
  start: (
    foundation: Foundation,
  ) => Pick<SimulatedWorld, 'provider' | 'groups' | 'terminations' | 'announce'> & { readonly scaling: Scaling },
): SimulatedWorld & { readonly scaling: Scaling } {
  const { seed, groups, daemonSets } = options;
  const faults = { ...NO_FAULTS, ...options.faults };
  const clock = createClock(options.start);
  const api = createApiServer();
  const { emit, onEvent } = createEvents(clock);
  const webhooks: ((event: FailedScheduling) => void)[] = [];
  const shared = { clock, api, emit, faults };
  const { claim, whenAttached } = startStorage({ ...shared, chance: chanceFor(seed, 'storage') });
  const controllers = createControllers({ ...shared, chance: chanceFor(seed, 'controllers'), daemonSets, claim });
  const about = (pod: Pod) => ({ pod: keyOf(pod), workload: controllers.workloadOf(pod) });
  const aboutBound = (pod: Pod) => ({ ...about(pod), node: required(pod.nodeName, pod.name) });
  startScheduler({
    ...shared,
    chance: chanceFor(seed, 'scheduler'),
    about,
    aboutBound,
    onFailedScheduling: (pod, message) => {
      for (const webhook of webhooks) {
        webhook({ pod, message });
      }
    },
  });
  const { runsFor } = controllers;
  startKubelets({ ...shared, chance: chanceFor(seed, 'kubelets'), runsFor, whenAttached, aboutBound });
  startTaintEviction(clock, api, { emit, aboutBound });
  reportTaints(api, emit);
  const calls = createApiCalls(clock, chanceFor(seed, 'calls'), faults);
  const cloud = start({ ...shared, seed, groups, calls });

  return {
    clock,
    api,
    ...cloud,
    controllers,
    reader: createReader(api, calls, clock, faults),
    writer: createWriter({ api, calls, clock, emit, aboutBound }),
    onEvent,
    onFailedScheduling: (listener) => {
      webhooks.push(listener);
    },
  };
}

function createEvents({ now }: Pick<Clock, 'now'>): { readonly emit: Emit } & Pick<SimulatedWorld, 'onEvent'> {
  const listeners: ((event: WorldEvent) => void)[] = [];
  return {
    emit: (happening) => {
      const event = { at: now(), ...happening };
      for (const listener of listeners) {
        listener(event);
      }
    },
    onEvent: (listener) => {
      listeners.push(listener);
    },
  };
}

function reportTaints(api: ApiServer, emit: Emit): void {
  api.watch({
    node: ({ name, taints }, before) => {
      for (const taint of taintsOfRemoval(before?.taints ?? [], taints)) {
        emit({ kind: 'NodeUntainted', node: name, taint });
      }
      for (const taint of taintsOfRemoval(taints, before?.taints ?? [])) {
        emit({ kind: 'NodeTainted', node: name, taint });
      }
    },
  });
}

/** The taints of unneeded nodes and removals that are not in `without`. */
const taintsOfRemoval = (taints: readonly Taint[], without: readonly Taint[]): readonly Taint[] =>
  taints.filter(
    (taint) =>
      (isRemovalTaint(taint) || isCandidateTaint(taint)) &&
      !without.some(({ key, value, effect }) => key === taint.key && value === taint.value && effect === taint.effect),
  );
