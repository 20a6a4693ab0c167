import type { Drain, DrainPhase } from '../model/drain.ts';
import { controllerByUid } from '../model/cluster/controller-lists.ts';
import type { Node } from '../model/cluster/node.ts';
import { isExpendable } from '../model/cluster/expendable.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import { controllerKeyOf, hasClaims, isDaemon, isFinished, keyOf, type Pod } from '../model/cluster/pod.ts';
import type { Options } from '../model/options.ts';
import type { InstanceView } from '../model/node-group.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, type EpochMs, seconds } from '../model/values/time.ts';
import { createPdbTracker } from '../scaledown/pdb-tracker.ts';
import { doNotDisrupt } from '../scaledown/drainability/do-not-disrupt.ts';
import { drainabilityOf, verdictOf } from '../scaledown/drainability/drainability.ts';
import type { Block, Drainability, DrainContext } from '../scaledown/drainability/rule.ts';
import type { EffectResults } from './effects.ts';
import { toleratesDisruption } from '../scaledown/drainability/tolerates-disruption.ts';

/** The world as one step of a drain observes it. */
export interface DrainObservation {
  /** As `ClusterReader.readNode` gives it: the node, its pods, their budgets, controllers and claims. */
  readonly cluster: ClusterObjects;
  /** Persistent volumes that are attached to the node, by name; none where the drain does not ask for them. */
  readonly attached: readonly string[];
  /** Existing pods of the node that could not be read, and their controllers and claims, by place. */
  readonly unreadable: readonly string[];
  /** `null`: the cloud was not asked, or has not answered. */
  readonly instance: InstanceView | null;
  /** The other drains of a group that goes as a whole; absent where the drain does not ask for them. */
  readonly others?: readonly Drain[];
  /** The nodes of `others` whose instance was outside the group, and is in it again. */
  readonly returned?: readonly NodeName[];
  readonly results: EffectResults;
}

/** A pod that is not of the node itself, counts, and has not ended: the instance must not be ended under it. */
export interface PodToEvict {
  readonly pod: Pod;
  readonly drainability: Exclude<Drainability, { readonly kind: 'Skip' }>;
}

/** An observation, as the phases ask about it. */
export interface DrainFacts extends DrainObservation {
  readonly now: EpochMs;
  readonly options: Options;
  readonly context: DrainContext;
  /** The node of the drain; `null`: it is gone, whatever node bears its name. */
  readonly node: Node | null;
  readonly pods: readonly Pod[];
  /**
   * The pods of the node that were counted when it was found unneeded. Expendable pods keep nothing, nor do finished
   * pods, which are listed for a single node alone.
   */
  readonly counted: readonly Pod[];
  readonly moving: readonly PodToEvict[];
  readonly daemons: readonly Pod[];
  /** DaemonSet pods that an annotation protects, with the verdict. */
  readonly keptDaemons: readonly { readonly pod: Pod; readonly block: Block }[];
}

/**
 * Kinds of objects that keep a node while they cannot be read: pods, and objects that decide whether and where pods may
 * move.
 */
const KEEPING = ['Pod', 'ReplicationController', 'ReplicaSet', 'StatefulSet', 'Job', 'PersistentVolumeClaim'];

/** Is it a pod itself that could not be read? Whether it would have to move is not known then. */
export const isOfPod = (problem: string): boolean => problem.startsWith('Pod ');

/** Does this pod exist, though it cannot be read? Such a pod is missing in the lists, but not gone. */
export const isUnreadable = (pod: string, { unreadable }: Pick<DrainFacts, 'unreadable'>): boolean =>
  unreadable.some((problem) => problem.startsWith(`Pod ${pod}:`));

/** An object that could not be read, as `ClusterReader` reports it. */
interface Unread {
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** The problems of unreadable objects: of the node itself (`null`: none), and of objects that keep it. */
export function unreadableOf(rejected: readonly Unread[]): {
  readonly node: string | null;
  readonly keeping: readonly string[];
} {
  const of = (kinds: readonly string[]): readonly string[] =>
    rejected
      .filter(({ place }) => kinds.some((kind) => place.startsWith(`${kind} `)))
      .map(({ place, expected, found }) => `${place}: expected ${expected}, found ${found}`);
  return { node: of(['Node'])[0] ?? null, keeping: of(KEEPING) };
}

/** Does a drain in this phase ask about its instance? That costs a call to the cloud. */
export const asksForInstance = (phase: DrainPhase): boolean => phase !== 'Tainting' && phase !== 'Evicting';

/**
 * Does a drain ask which volumes are attached? Those of its evicted pods that are gone are waited for, once nothing is left
 * that has to move. A pod that stays all the same, since it is stuck on its way out or ends with the instance, changes nothing
 * about that.
 */
export function asksForVolumes(drain: Drain, cluster: ClusterObjects, now: EpochMs, options: Options): boolean {
  const pods = podsOn(drain, cluster);
  const here = new Set(pods.map(({ uid }) => uid));
  return (
    // From `Tainting` a node that is marked again comes to its volumes in the same step.
    (drain.phase === 'Evicting' || drain.phase === 'Tainting') &&
    drain.evictions.some(({ manifest, uid }) => hasClaims(manifest.spec) && !here.has(uid)) &&
    movingOf(drain, pods, contextOf(cluster, now, options)).length === 0
  );
}

/** `null` where the Node is gone. A new Node may have its name: names are of addresses, which the cloud reuses. */
const nodeOf = ({ node, nodeUid }: Drain, { nodes }: ClusterObjects): Node | null =>
  nodes.find(({ name, uid }) => name === node && uid === nodeUid) ?? null;

/** None where the Node is gone: pods on another Node of its name are none of the drain's. */
function podsOn(drain: Drain, cluster: ClusterObjects): readonly Pod[] {
  if (nodeOf(drain, cluster) === null) {
    return [];
  }
  return cluster.pods
    .filter(({ nodeName }) => nodeName === drain.node)
    .toSorted((a, b) => byName(keyOf(a), keyOf(b)) || byName(a.uid, b.uid));
}

const contextOf = (cluster: ClusterObjects, now: EpochMs, options: Options): DrainContext => ({
  options,
  now,
  // By uid alone, unlike where nodes are found unneeded (`listedController`). There a scenario written by hand may leave uids
  // out; here the API server has given them, and a controller of the same name that came later does not make this pod anew.
  controllers: (pod) => controllerByUid(cluster.controllers, pod),
  pdbs: createPdbTracker(cluster.podDisruptionBudgets),
});

/**
 * The pod with the end of its grace period by the clock that it was evicted by: the API server's clock may be behind, and a
 * pod that has just begun to end would be taken for one that is stuck.
 */
const byOwnClock = (pod: Pod, { evictions }: Drain, now: EpochMs): Pod =>
  mapOptional(
    evictions.find(({ uid }) => uid === pod.uid && pod.deletedAt !== null),
    ({ evictedAt, graceSeconds }) => ({ ...pod, deletedAt: addTime(evictedAt ?? now, seconds(graceSeconds)) }),
  ) ?? pod;

/** The pods of the node that have to move. */
function movingOf(drain: Drain, pods: readonly Pod[], context: DrainContext): readonly PodToEvict[] {
  const { options, pdbs } = context;
  const left = pdbs.fork();
  const moving: PodToEvict[] = [];
  for (const pod of pods) {
    if (!isExpendable(pod, options) && !isDaemon(pod) && !isFinished(pod)) {
      const drainability = drainabilityOf(byOwnClock(pod, drain, context.now), context);
      const mayGo = drainability.kind === 'Move' || drainability.kind === 'DrainOk';
      if (mayGo && (isBack(pod, drain) || toleratesDisruption(pod, options)) && left.allows(pod).ok) {
        left.take([pod]);
      } else if (drainability.kind !== 'Skip') {
        moving.push({ pod, drainability });
      }
    }
  }
  return moving;
}

export function factsOf(drain: Drain, observation: DrainObservation, now: EpochMs, options: Options): DrainFacts {
  const { cluster } = observation;
  const pods = podsOn(drain, cluster);
  const context = contextOf(cluster, now, options);
  const node = nodeOf(drain, cluster);
  const counted = pods.filter((pod) => !isExpendable(pod, options) && !isFinished(pod));
  return {
    ...observation,
    now,
    options,
    context,
    node,
    pods,
    counted,
    unreadable: node === null ? [] : observation.unreadable,
    moving: movingOf(drain, pods, context),
    daemons: pods.filter((pod) => isDaemon(pod) && !isFinished(pod)),
    keptDaemons: counted.filter(isDaemon).flatMap((pod) => {
      const block = verdictOf(doNotDisrupt, pod, context);
      return block?.kind === 'Block' ? [{ pod, block }] : [];
    }),
  };
}

/**
 * Does the pod replace a pod that was evicted from this node? It has come although the node was marked long before: it
 * tolerates all that keeps pods away, and would come back for ever. Like a DaemonSet's pod it ends with the instance,
 * if its budget allows that.
 *
 * Controllers replace a pod as soon as its deletion begins, seconds before the API server's answer is known here. So
 * the time of the first request counts, in the whole seconds of a pod's creation time.
 */
export function isBack(pod: Pod, { evictions }: Drain): boolean {
  const { uid, createdAt } = pod;
  const controller = controllerKeyOf(pod);
  const own = evictions.find((eviction) => eviction.uid === uid);
  return (
    controller !== null &&
    createdAt !== null &&
    (own === undefined || own.evictedAt === null) &&
    evictions.some(
      ({ manifest, evictedAt, firstTriedAt }) =>
        evictedAt !== null &&
        Math.floor(firstTriedAt / 1_000) <= createdAt / 1_000 &&
        // A pod whose eviction was requested at the same time existed before.
        (own === undefined || firstTriedAt < own.firstTriedAt) &&
        controllerKeyOf(manifest) === controller,
    )
  );
}
