import { clip } from '../model/values/clip.ts';
import type { Node } from '../model/cluster/node.ts';
import { unfollowed } from '../model/cluster/followed.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import type { NodeGroup } from '../model/node-group.ts';
import { controllerKeyOf, isMirror, type Pod, priorityOf, type Toleration } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { valueOf } from '../model/values/records.ts';
import { PODS, type Resources } from '../model/values/resources.ts';
import { type Controller, ownKindOf } from '../model/cluster/workloads.ts';
import { matchRequiredAffinity } from '../scheduling/node-selector.ts';
import { repels, tolerates } from '../scheduling/tolerations.ts';

const tolerate = (key: string, effect: string): Toleration => ({
  key,
  operator: 'Exists',
  value: '',
  effect,
  tolerationSeconds: null,
});

/** What the DaemonSet controller makes all its pods tolerate. */
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
}

/**
 * The pods that come to a new node: those known of the template, and one of every DaemonSet that admits such a node and
 * is not among them. Node affinity and taints decide, as in the DaemonSet controller's `NodeShouldRunDaemonPod`; whether
 * they have room is another question (`roomFor`).
 */
export function daemonsOf(node: Node, known: readonly Pod[], daemonSets: readonly Controller[]): readonly Daemon[] {
  const represented = new Set(known.map(controllerKeyOf));
  const hasKubeProxy = daemonSets.some(({ namespace, name }) => namespace === 'kube-system' && name === 'kube-proxy');
  const added = daemonSets.flatMap(({ namespace, name, kind, uid, template }): Daemon[] =>
    template === null ||
    represented.has(controllerKeyOf({ namespace, controller: { kind, uid } })) ||
    !admits(template, node)
      ? []
      : [{ pod: template, name: clip(`${namespace}/${name}`, LONGEST_NAME) }],
  );
  // Providers stand a mirror pod in for kube-proxy; where it is a DaemonSet it would count twice.
  const kept = hasKubeProxy ? known.filter((pod) => !(isMirror(pod) && pod.name.startsWith('kube-proxy'))) : known;
  const ofTemplate = kept.map((pod) => ({
    pod,
    name: clip(`${pod.namespace}/${pod.controller?.name ?? pod.name}`, LONGEST_NAME),
  }));
  return [...ofTemplate, ...added];
}

const LONGEST_NAME = 120;

/** The nodes that carry a pod of each of Kubernetes' own DaemonSets, by the key of the DaemonSet. */
export const nodesOfDaemonSets = rememberedOf((pods: readonly Pod[]): ReadonlyMap<string, ReadonlySet<NodeName>> => {
  const nodes = new Map<string, Set<NodeName>>();
  for (const pod of pods) {
    if (pod.nodeName !== null && pod.controller !== null && ownKindOf(pod.controller) === 'DaemonSet') {
      const key = controllerKeyOf(pod)!;
      const own = nodes.get(key);
      if (own === undefined) {
        nodes.set(key, new Set([pod.nodeName]));
      } else {
        own.add(pod.nodeName);
      }
    }
  }
  return nodes;
});

/**
 * Has this DaemonSet a pod on a node of the group? On one that has no nodes yet it is taken to come.
 *
 * @param carrying as `nodesOfDaemonSets` gives it.
 */
export function runsOn(
  { namespace, kind, uid }: Pick<Controller, 'namespace' | 'kind' | 'uid'>,
  { nodes }: Pick<NodeGroup, 'nodes'>,
  carrying: ReadonlyMap<string, ReadonlySet<NodeName>>,
): boolean {
  const own = carrying.get(controllerKeyOf({ namespace, controller: { kind, uid } })!);
  return nodes.length === 0 || (own !== undefined && nodes.some((node) => own.has(node)));
}

/** Which daemons a new node will carry, and which it has no room for. */
export interface Carried {
  readonly pods: readonly Pod[];
  readonly without: readonly { readonly daemon: Daemon; readonly why: string }[];
  /** What they leave of the node. */
  readonly free: Resources;
}

/**
 * Gives an empty node to its daemons: mirror pods first, which the kubelet does not ask the scheduler about, then by
 * priority, as kube-scheduler serves and preempts them, then by name. One that does not fit into what is left would wait
 * on a real node, and takes nothing from it; here it must not take it either, or no node of the group would ever do for any pod.
 *
 * @param least daemons of lower priority are left out.
 */
export function roomFor(daemons: readonly Daemon[], { allocatable }: Node, least = Number.NEGATIVE_INFINITY): Carried {
  let free = allocatable;
  const pods: Pod[] = [];
  const without: Carried['without'][number][] = [];
  for (const daemon of daemons.toSorted(byPrecedence)) {
    const { pod } = daemon;
    if (!isMirror(pod) && priorityOf(pod) < least) {
      continue;
    }
    const excess = unfollowed(pod.spec);
    if (excess !== null) {
      without.push({ daemon, why: `its pod is not simulated: ${excess}` });
      continue;
    }
    const requests = { ...podRequests(pod), [PODS]: 1 };
    const lacking = shortOf(requests, free);
    if (lacking === null) {
      pods.push(pod);
      free = less(free, requests);
    } else {
      const alone = shortOf(requests, allocatable) !== null;
      const why = alone
        ? 'its pod does not fit an empty node'
        : 'its pod does not fit beside those that come before it';
      without.push({ daemon, why: `${why}: Insufficient ${clip(lacking, LONGEST_NAME)}` });
    }
  }
  return { pods, without, free };
}

const byPrecedence = (a: Daemon, b: Daemon): number =>
  Number(isMirror(b.pod)) - Number(isMirror(a.pod)) || priorityOf(b.pod) - priorityOf(a.pod) || byName(a.name, b.name);

/** A resource of which there is too little; `null` where there is none. */
export function shortOf(requests: Resources, free: Resources): string | null {
  for (const name in requests) {
    const amount = requests[name]!;
    if (amount > 0 && !((valueOf(free, name) ?? 0) >= amount)) {
      return name;
    }
  }
  return null;
}

const less = (free: Resources, requests: Resources): Resources =>
  Object.fromEntries(Object.entries(free).map(([name, amount]) => [name, amount - (valueOf(requests, name) ?? 0)]));

function admits({ spec }: Pod, node: Node): boolean {
  const tolerations = [...spec.tolerations, ...DAEMON_TOLERATIONS];
  const matches = matchRequiredAffinity(spec);
  return (
    (matches === null || matches(node)) &&
    node.taints.every((taint) => !repels(taint) || tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}
