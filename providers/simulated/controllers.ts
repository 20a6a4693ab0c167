import type { NodeName, PodKey } from '../../core/model/values/names.ts';
import { isFinished, keyOf, type ControllerRef, type Pod, type PodSpec } from '../../core/model/cluster/pod.ts';
import type { DurationMs } from '../../core/model/values/time.ts';
import { type Controller, type PodDisruptionBudget, usualApiVersion } from '../../core/model/cluster/workloads.ts';
import { daemonTolerations } from '../manifest/taints.ts';
import type { ApiServer } from './api-server.ts';
import { type Chance, HEX, NAME_LETTERS } from './chance.ts';
import type { Clock } from './clock.ts';
import { type DaemonSet, type Workload, workloadKey } from './workload.ts';
import type { Tell } from './world-event.ts';

/** The controller manager creates a pod in so many milliseconds. */
const PER_POD_MS = 5;

/** Plays kube-controller-manager: keeps as many pods as were asked for. */
export interface Controllers {
  /** Starts a workload, or changes the number of its pods. */
  readonly apply: (workload: Workload) => void;
  /** Takes a workload and its pods away. */
  readonly remove: (key: string) => void;
  readonly workload: (key: string) => Workload | null;
  /** Some workload has not yet as many pods as were asked for. */
  readonly isBusy: () => boolean;
  /** The workload, as `namespace/name`, that a pod is of; a DaemonSet's for its pods. */
  readonly workloadOf: (pod: Pod) => string;
  /** How long the pod will run; `null`: until it is taken away. */
  readonly runsFor: (pod: Pod) => DurationMs | null;
}

export interface ControllersOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly tell: Tell;
  readonly daemonSets: readonly DaemonSet[];
}

interface Managed {
  workload: Workload;
  readonly owner: ControllerRef;
  readonly objects: readonly Controller[];
  readonly pods: Set<PodKey>;
  /** A Job's pods that have run to their end: they are not made again. */
  finished: number;
  working: boolean;
}

export function createControllers({ clock, api, chance, tell, daemonSets }: ControllersOptions): Controllers {
  const managed = new Map<string, Managed>();
  const byOwner = new Map<string, Managed>();
  const workloadByOwner = new Map<string, string>();
  const uid = uidsFrom(chance);

  const create = (
    { namespace, labels, spec, annotations = {} }: Pick<Workload, 'namespace' | 'labels' | 'spec' | 'annotations'>,
    prefix: string,
    controller: ControllerRef,
  ): Pod => {
    let name: string;
    do {
      name = `${prefix}-${chance.text(5, NAME_LETTERS)}`;
    } while (api.pods.has(keyOf({ namespace, name } as Pod)));
    const pod: Pod = {
      namespace,
      name,
      uid: uid(),
      labels,
      annotations,
      createdAt: clock.now(),
      deletedAt: null,
      controller,
      nodeName: null,
      nominatedNodeName: null,
      phase: 'Pending',
      unscheduled: null,
      startedAt: null,
      ready: false,
      resize: null,
      spec,
    };
    tell({ kind: 'PodCreated', pod: keyOf(pod), workload: workloadByOwner.get(controller.uid)! });
    api.createPod(pod);
    return pod;
  };

  /** One step towards the number that was asked for, then another one, until it is reached. */
  const reconcile = (one: Managed): void => {
    if (one.working) {
      return;
    }
    const missing = one.workload.pods - one.finished - one.pods.size;
    if (missing === 0) {
      return;
    }
    one.working = true;
    clock.after(PER_POD_MS, () => {
      one.working = false;
      // What was asked for may have changed meanwhile.
      const wanted = one.workload.pods - one.finished;
      if (one.pods.size < wanted) {
        one.pods.add(keyOf(create(one.workload, one.owner.name, one.owner)));
      } else if (one.pods.size > wanted) {
        api.deletePod(leastMissed(one.pods, api));
      }
      reconcile(one);
    });
  };

  api.setBudgets(() => [...managed.values()].flatMap((one) => budgetOf(one, api) ?? []));
  api.watch({
    pod: (pod, before) => {
      const one = pod.controller === null ? undefined : byOwner.get(pod.controller.uid);
      // A pod on its way out is replaced at once.
      if (pod.deletedAt !== null && one?.pods.delete(keyOf(pod)) === true) {
        reconcile(one);
        return;
      }
      if (one !== undefined && before !== null && isFinished(pod) && !isFinished(before)) {
        one.pods.delete(keyOf(pod));
        one.finished += 1;
        show(one);
        tell({ kind: 'PodFinished', pod: keyOf(pod), workload: workloadKey(one.workload) });
      }
    },
    podDeleted: (pod) => {
      tell({ kind: 'PodDeleted', pod: keyOf(pod), workload: workloadOf(pod) });
      const one = pod.controller === null ? undefined : byOwner.get(pod.controller.uid);
      if (one?.pods.delete(keyOf(pod)) === true) {
        reconcile(one);
      }
    },
    node: (node, before) => {
      if (before === null) {
        for (const set of daemons) {
          create({ ...set, spec: pinned(set.spec, node.name) }, set.name, set.owner);
        }
      }
    },
    nodeDeleted: (node) => {
      // The garbage collector of pods: what was on a node that is gone has gone with it.
      for (const [key, pod] of api.pods) {
        if (pod.nodeName === node.name || isPinnedTo(pod, node.name)) {
          api.deletePod(key);
        }
      }
    },
  });

  const daemons = daemonSets.map(({ namespace, name, spec }) => {
    const owner: ControllerRef = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: uid() };
    const labels = { 'k8s-app': name };
    const tolerant = { ...spec, tolerations: daemonTolerations(spec.tolerations, true) };
    workloadByOwner.set(owner.uid, `${namespace}/${name}`);
    api.putController({
      kind: 'DaemonSet',
      namespace,
      name,
      uid: owner.uid,
      replicas: null,
      template: {
        namespace,
        name: `${name}-template`,
        uid: '',
        labels,
        annotations: {},
        createdAt: null,
        deletedAt: null,
        controller: owner,
        nodeName: null,
        nominatedNodeName: null,
        phase: 'Pending',
        unscheduled: null,
        startedAt: null,
        ready: false,
        resize: null,
        spec: tolerant,
      },
    });
    return { namespace, name, labels, owner, spec: tolerant };
  });

  const begin = (workload: Workload): Managed => {
    const { kind, namespace, name } = workload;
    const objects: Controller[] = [{ kind, namespace, name, uid: uid(), replicas: workload.pods, template: null }];
    if (kind === 'Deployment') {
      const revision = `${name}-${chance.text(9, NAME_LETTERS)}`;
      objects.push({
        kind: 'ReplicaSet',
        namespace,
        name: revision,
        uid: uid(),
        replicas: workload.pods,
        template: null,
      });
    }
    const last = objects.at(-1)!;
    const one: Managed = {
      workload,
      owner: { apiVersion: usualApiVersion(last.kind), kind: last.kind, name: last.name, uid: last.uid },
      objects,
      pods: new Set(),
      finished: 0,
      working: false,
    };
    managed.set(workloadKey(workload), one);
    byOwner.set(one.owner.uid, one);
    workloadByOwner.set(one.owner.uid, workloadKey(workload));
    return one;
  };

  const workloadOf = (pod: Pod): string =>
    workloadByOwner.get(pod.controller?.uid ?? '') ?? `${pod.namespace}/${pod.name}`;

  /** A Job wants no more of the pods that have run to their end. */
  const show = ({ objects, workload, finished }: Managed): void => {
    for (const object of objects) {
      api.putController({ ...object, replicas: Math.max(0, workload.pods - finished) });
    }
  };

  const setSize = (one: Managed, workload: Workload): void => {
    one.workload = workload;
    show(one);
    reconcile(one);
  };

  return {
    apply: (workload) => {
      setSize(managed.get(workloadKey(workload)) ?? begin(workload), workload);
    },
    remove: (key) => {
      const one = managed.get(key);
      if (one !== undefined) {
        managed.delete(key);
        one.workload = { ...one.workload, pods: 0 };
        one.finished = 0;
        for (const { uid } of one.objects) {
          api.deleteController(uid);
        }
        reconcile(one);
      }
    },
    workload: (key) => managed.get(key)?.workload ?? null,
    isBusy: () => [...byOwner.values()].some(({ working }) => working),
    workloadOf,
    runsFor: (pod) => byOwner.get(pod.controller?.uid ?? '')?.workload.runsFor ?? null,
  };
}

/** The disruption controller: healthy pods beyond those that are to be available may be evicted. */
function budgetOf({ workload, pods }: Managed, api: ApiServer): PodDisruptionBudget | null {
  const { namespace, name, labels, minAvailable } = workload;
  if (minAvailable === undefined) {
    return null;
  }
  const healthy = [...pods].filter((key) => api.pods.get(key)?.ready === true).length;
  return {
    namespace,
    name,
    selector: { matchLabels: labels, matchExpressions: [] },
    disruptionsAllowed: Math.max(0, healthy - minAvailable),
    currentHealthy: healthy,
    desiredHealthy: minAvailable,
    expectedPods: workload.pods,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    disruptedPods: {},
    generation: 1,
    observedGeneration: 1,
  };
}

/** Whom a ReplicaSet takes away first: pods without a node, then the youngest. */
function leastMissed(pods: ReadonlySet<PodKey>, api: ApiServer): PodKey {
  let chosen: PodKey | null = null;
  for (const key of pods) {
    const unbound = api.pods.get(key)!.nodeName === null;
    if (chosen === null || unbound || api.pods.get(chosen)!.nodeName !== null) {
      chosen = key;
    }
  }
  return chosen!;
}

/** The affinity by which the DaemonSet controller has the scheduler put a pod on its node. */
const pinned = (spec: PodSpec, node: NodeName): PodSpec => ({
  ...spec,
  nodeAffinity: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
});

const isPinnedTo = (pod: Pod, node: NodeName): boolean =>
  pod.controller?.kind === 'DaemonSet' && pod.spec.nodeAffinity?.[0]?.matchFields[0]?.values[0] === node;

/** Version 4 UUIDs, but from the seed. */
const uidsFrom = (chance: Chance) => (): string => {
  const hex = (length: number): string => chance.text(length, HEX);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${chance.text(1, '89ab')}${hex(3)}-${hex(12)}`;
};
