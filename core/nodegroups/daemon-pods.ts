import { clip } from '../model/values/clip.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import type { Node } from '../model/cluster/node.ts';
import { podSpecExcess } from '../model/cluster/bounded-pod-spec.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import type { NodeGroup } from '../model/node-group.ts';
import {
  controllerKeyOf,
  type ControllerRef,
  isDaemon,
  isFinished,
  isMirror,
  type Pod,
  priorityOf,
  type Toleration,
} from '../model/cluster/pod.ts';
import { unpinned } from '../model/snapshot/pod-kind.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { type Controller, ownKindOf } from '../model/cluster/workloads.ts';
import { matchRequiredAffinity } from '../scheduling/node-selector.ts';
import { toleratesAll } from '../scheduling/tolerations.ts';

const tolerate = (key: string, effect: string): Toleration => ({
  key,
  operator: 'Exists',
  value: '',
  effect,
  tolerationSeconds: null,
});

/** Tolerations that the DaemonSet controller adds to all its pods: no template contains them. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  tolerate('node.kubernetes.io/not-ready', 'NoExecute'),
  tolerate('node.kubernetes.io/unreachable', 'NoExecute'),
  tolerate('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/unschedulable', 'NoSchedule'),
  tolerate('node.kubernetes.io/network-unavailable', 'NoSchedule'),
];

/** A pod that comes with every node. */
export interface Daemon {
  readonly pod: Pod;
  /** The DaemonSet's namespace and name, clipped. */
  readonly name: string;
  /** Key of the pod's controller (`controllerKeyOf`); `null` for a static pod. */
  readonly key: string | null;
  /**
   * A pod of this daemon is known to get a place: it is in `kube-system`, or bound to nodes of the group. The pods of
   * any other daemon may ask for whatever its author likes, and never run.
   */
  readonly established: boolean;
  /** Why it is not simulated, in words; `null` where it is. */
  readonly excess: string | null;
}

/** Are the pods of a controller known to get places on nodes like the one in question? */
export type IsEstablished = (key: DaemonKey) => boolean;

/** Tells the controllers of daemons from each other; that of one of Kubernetes' own DaemonSets names no API version. */
type DaemonKey = string & { readonly __brand: 'DaemonKey' };

function daemonKeyOf({
  namespace,
  controller,
}: Pick<Pod, 'namespace'> & { readonly controller: ControllerRef }): DaemonKey {
  const version = ownKindOf(controller) === 'DaemonSet' ? '' : `${controller.apiVersion} `;
  return `${version}${controllerKeyOf({ namespace, controller })}` as DaemonKey;
}

const keyOfSet = ({ namespace, kind, uid }: Pick<Controller, 'namespace' | 'kind' | 'uid'>): DaemonKey =>
  controllerKeyOf({ namespace, controller: { kind, uid } }) as DaemonKey;

/**
 * The pods that come to a new node: the known pods of the template, and a pod of every other DaemonSet that admits such
 * a node. Node affinity and taints decide, as in the DaemonSet controller's `NodeShouldRunDaemonPod`; whether
 * kube-scheduler finds them a place is another question (`scheduleDaemons`).
 *
 * @returns in the order in which kube-scheduler serves them.
 */
export function daemonsOf(
  node: Node,
  known: readonly Pod[],
  daemonSets: readonly Controller[],
  isEstablished: IsEstablished = () => true,
): readonly Daemon[] {
  const represented = new Set(known.map(controllerKeyOf));
  const hasKubeProxy = daemonSets.some(({ namespace, name }) => namespace === SYSTEM && name === 'kube-proxy');
  const named = (pod: Pod, key: string | null, name: string, isKnown: boolean): Omit<Daemon, 'excess'> => ({
    pod,
    name: clip(name, LONGEST_NAME),
    key,
    established: pod.namespace === SYSTEM || isKnown,
  });
  const added = daemonSets.flatMap((set) => {
    const key = keyOfSet(set);
    if (set.template === null || represented.has(key)) {
      return [];
    }
    const pod = tolerant(set.template);
    if (!admits(pod, node)) {
      return [];
    }
    return named(pod, key, `${set.namespace}/${set.name}`, isEstablished(key));
  });
  // Providers add a mirror pod for kube-proxy; if kube-proxy is a DaemonSet, it would count twice. A pod without a
  // controller is made for one node, whatever its annotations say.
  const kept = known.filter((pod) =>
    isMirror(pod) ? !(hasKubeProxy && pod.name.startsWith('kube-proxy')) : pod.controller !== null,
  );
  const ofTemplate = kept.map((pod) => {
    const { controller, namespace } = pod;
    const isKnown = controller !== null && isEstablished(daemonKeyOf({ namespace, controller }));
    return named(anywhere(pod), controllerKeyOf(pod), `${namespace}/${controller?.name ?? pod.name}`, isKnown);
  });
  return followedOf([...ofTemplate, ...added].sort(byPrecedence));
}

const LONGEST_NAME = 120;
const SYSTEM = 'kube-system';

/**
 * Limit on the daemons of one namespace on a node. A larger limit would cost time and serve no node: a node has some
 * tens of DaemonSets in all.
 */
const MOST_OF_NAMESPACE = 64;

/**
 * Mirror pods first, which the kubelet does not ask the scheduler about, then by priority. Of equals, kube-scheduler takes whichever
 * comes first: here those that are known to get a place.
 */
const byPrecedence = (a: Omit<Daemon, 'excess'>, b: Omit<Daemon, 'excess'>): number =>
  Number(isMirror(b.pod)) - Number(isMirror(a.pod)) ||
  priorityOf(b.pod) - priorityOf(a.pod) ||
  Number(b.pod.namespace === SYSTEM) - Number(a.pod.namespace === SYSTEM) ||
  Number(b.established) - Number(a.established) ||
  byName(a.name, b.name);

function followedOf(daemons: readonly Omit<Daemon, 'excess'>[]): readonly Daemon[] {
  const counts = new Map<string, number>();
  return daemons.map((daemon) => {
    const { namespace, spec } = daemon.pod;
    const count = (counts.get(namespace) ?? 0) + 1;
    counts.set(namespace, count);
    const isOneTooMany = namespace !== SYSTEM && count > MOST_OF_NAMESPACE;
    return {
      ...daemon,
      excess: isOneTooMany ? `more than ${MOST_OF_NAMESPACE} DaemonSets of its namespace` : podSpecExcess(spec),
    };
  });
}

const tolerant = rememberedOf((template: Pod): Pod => {
  const tolerations = [...template.spec.tolerations, ...DAEMON_TOLERATIONS];
  return { ...template, spec: { ...template.spec, tolerations } };
});

/** The pods of those that are simulated. */
export const followedPods = (daemons: readonly Daemon[]): readonly Pod[] =>
  daemons.filter(({ excess }) => excess === null).map(({ pod }) => pod);

/** The pod on any node. */
const anywhere = rememberedOf((pod: Pod): Pod => {
  const spec = unpinned(pod.spec);
  return spec === pod.spec ? pod : { ...pod, spec };
});

/** The nodes that carry pods of each controller of daemons. */
export const nodesOfDaemons = rememberedOf((pods: readonly Pod[]): ReadonlyMap<DaemonKey, ReadonlySet<NodeName>> => {
  const nodes = new Map<DaemonKey, Set<NodeName>>();
  for (const pod of pods) {
    const { namespace, nodeName, controller } = pod;
    if (nodeName !== null && controller !== null && isDaemon(pod) && !isFinished(pod)) {
      const key = daemonKeyOf({ namespace, controller });
      getOrMake(nodes, key, () => new Set()).add(nodeName);
    }
  }
  return nodes;
});

/** The result of `isEstablished` for each controller. */
export const establishedAmong = (
  known: readonly Pod[],
  daemonSets: readonly Controller[],
  isEstablished: IsEstablished,
): readonly boolean[] => [
  ...known.map(
    ({ namespace, controller }) => controller !== null && isEstablished(daemonKeyOf({ namespace, controller })),
  ),
  ...daemonSets.map((set) => isEstablished(keyOfSet(set))),
];

/**
 * Has this DaemonSet a pod on a node of the group? A DaemonSet counts as running on a group without nodes.
 *
 * @param carrying as `nodesOfDaemons` gives it.
 */
export function runsOn(
  set: Pick<Controller, 'namespace' | 'kind' | 'uid'>,
  { nodes }: Pick<NodeGroup, 'nodes'>,
  carrying: ReadonlyMap<DaemonKey, ReadonlySet<NodeName>>,
): boolean {
  const own = carrying.get(keyOfSet(set));
  return nodes.length === 0 || (own !== undefined && nodes.some((node) => own.has(node)));
}

/**
 * Is a controller of daemons known to get places on nodes of the group? A DaemonSet is where one of its pods is bound to a node of
 * the group; to any node, while the group has none. Pods of other controllers may call themselves daemons, though they come to
 * few nodes: theirs is where they are bound to half of the nodes, and to two at least.
 */
export function isEstablishedOn(
  { nodes }: Pick<NodeGroup, 'nodes'>,
  carrying: ReadonlyMap<DaemonKey, ReadonlySet<NodeName>>,
): IsEstablished {
  return (key) => {
    const own = carrying.get(key);
    if (own === undefined || nodes.length === 0) {
      return own !== undefined;
    }
    if (!key.includes(' ')) {
      return nodes.some((node) => own.has(node));
    }
    const count = nodes.reduce((sum, node) => sum + Number(own.has(node)), 0);
    return count >= 2 && count * 2 >= nodes.length;
  };
}

const admits = ({ spec }: Pod, node: Node): boolean =>
  toleratesAll(spec.tolerations, node.taints) && (matchRequiredAffinity(spec)?.(node) ?? true);
