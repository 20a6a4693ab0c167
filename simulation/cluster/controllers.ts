import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import {
  isFinished,
  keyOf,
  NEW_POD,
  type ControllerRef,
  type Pod,
  type PodSpec,
} from '@outrigger/core/model/cluster/pod.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import { type Controller, usualApiVersion } from '@outrigger/core/model/cluster/workloads.ts';
import { matchRequiredAffinity, type NodeMatcher } from '@outrigger/core/scheduling/node-selector.ts';
import { repels, tolerates } from '@outrigger/core/scheduling/tolerations.ts';
import { daemonTolerations } from '@outrigger/providers/manifest/taints.ts';
import type { ApiServer } from './api-server.ts';
import { type Chance, HEX, NAME_LETTERS } from '../chance.ts';
import type { Clock } from '../clock.ts';
import { type Budget, createBudget, neededOf } from './disruption-controller.ts';
import { podsToDelete } from './pods-to-delete.ts';
import type { Storage } from './storage.ts';
import { type DaemonSet, type Workload, workloadKey } from './workload.ts';
import type { WorldFaults } from '../world-faults.ts';
import type { Emit } from '../world-event.ts';

/** Time in milliseconds in which the controller manager creates a pod. */
const PER_POD_MS = 5;

/** Simulates kube-controller-manager: keeps the desired number of pods. */
export interface Controllers {
  /** Starts a workload, or changes the number of its pods. */
  readonly apply: (workload: Workload) => void;
  /** Deletes a workload and its pods. */
  readonly remove: (key: string) => void;
  readonly workload: (key: string) => Workload | null;
  /** Whether some workload does not have its desired number of pods yet. */
  readonly isBusy: () => boolean;
  /** The workload of a pod, as `namespace/name`; for a DaemonSet's pods the DaemonSet. */
  readonly workloadOf: (pod: Pod) => string;
  /** How long the pod will run; `null`: until it is deleted. */
  readonly runsFor: (pod: Pod) => DurationMs | null;
}

interface ControllersOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly emit: Emit;
  readonly daemonSets: readonly DaemonSet[];
  readonly claim: Storage['claim'];
  readonly faults: Pick<WorldFaults, 'budgetLag' | 'controllerDelay'>;
}

interface ManagedWorkload {
  workload: Workload;
  readonly owner: ControllerRef;
  readonly budget: Budget;
  readonly objects: readonly Controller[];
  readonly pods: Set<PodKey>;
  /** A Job's completed pods: they are not created again. */
  finished: number;
  working: boolean;
}

/** A DaemonSet that has a pod on each node. */
interface Daemon extends Pick<Workload, 'namespace' | 'name' | 'labels' | 'spec'> {
  readonly owner: ControllerRef;
  /** Whether a node gets a pod of it. */
  readonly runsOn: NodeMatcher;
}

interface State extends Omit<ControllersOptions, 'daemonSets'> {
  /** The existing workloads, by key. */
  readonly managed: Map<string, ManagedWorkload>;
  /** The workloads with a budget: a load may have thousands of Jobs, which have none. */
  readonly budgeted: Map<string, ManagedWorkload>;
  /** Existing and deleted workloads, by the UID of their pods' owner. */
  readonly byOwner: Map<string, ManagedWorkload>;
  readonly workloadByOwner: Map<string, string>;
  readonly uid: () => string;
}

/** Starts the controllers; DaemonSets have a pod on each node that their pods may run on, from its registration. */
export function createControllers({ daemonSets, ...options }: ControllersOptions): Controllers {
  const state: State = {
    ...options,
    managed: new Map(),
    budgeted: new Map(),
    byOwner: new Map(),
    workloadByOwner: new Map(),
    uid: uidsFrom(options.chance),
  };
  const { api, managed, budgeted, byOwner } = state;
  const daemons = daemonSets.map((set) => startDaemonSet(state, set));
  api.setBudgets(
    () => [...budgeted.values()].flatMap(({ budget }) => budget.list()),
    (pod) => byOwner.get(pod.controller?.uid ?? '')?.budget.taken(pod),
  );
  api.watch({
    pod: (pod, before) => followPod(state, pod, before),
    podDeleted: (pod) => followDeletion(state, pod),
    node: (node, before) => {
      if (before === null) {
        for (const daemon of daemons.filter(({ runsOn }) => runsOn(node))) {
          create(state, { ...daemon, spec: pinned(daemon.spec, node.name) }, daemon.name, daemon.owner);
        }
      }
    },
    nodeDeleted: ({ name }) => collectPodsOf(name, api),
  });
  return {
    apply: (workload) => setSize(state, managed.get(workloadKey(workload)) ?? begin(state, workload), workload),
    remove: (key) => remove(state, key),
    workload: (key) => managed.get(key)?.workload ?? null,
    isBusy: () => [...byOwner.values()].some(({ working }) => working),
    workloadOf: (pod) => workloadOf(state, pod),
    runsFor: (pod) => byOwner.get(ownerUid(pod))?.workload.runsFor ?? null,
  };
}

function startDaemonSet(state: State, { namespace, name, spec: given }: DaemonSet): Daemon {
  const owner: ControllerRef = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: state.uid() };
  const labels = { 'k8s-app': name };
  const spec = { ...given, tolerations: daemonTolerations(given.tolerations, true) };
  state.workloadByOwner.set(owner.uid, `${namespace}/${name}`);
  state.api.putController({
    kind: 'DaemonSet',
    namespace,
    name,
    uid: owner.uid,
    replicas: null,
    template: {
      ...NEW_POD,
      namespace,
      name: `${name}-template`,
      uid: '',
      labels,
      annotations: {},
      createdAt: null,
      controller: owner,
      spec,
    },
  });
  return { namespace, name, labels, owner, spec, runsOn: daemonMatcher(spec) };
}

/** The DaemonSet controller minds the node affinity and the taints of a node, but for those of its conditions. */
function daemonMatcher(spec: PodSpec): NodeMatcher {
  const isWanted = matchRequiredAffinity(spec) ?? (() => true);
  return (node) =>
    isWanted(node) &&
    node.taints
      .filter((taint) => repels(taint) && !taint.key.startsWith('node.kubernetes.io/'))
      .every((taint) => spec.tolerations.some((toleration) => tolerates(toleration, taint)));
}

function begin(state: State, workload: Workload): ManagedWorkload {
  const { kind, namespace, name, pods: replicas } = workload;
  const objects: Controller[] = [];
  if (kind !== 'Pod') {
    objects.push({ kind, namespace, name, uid: state.uid(), replicas, template: null });
  }
  if (kind === 'Deployment') {
    const revision = `${name}-${state.chance.text(9, NAME_LETTERS)}`;
    objects.push({ kind: 'ReplicaSet', namespace, name: revision, uid: state.uid(), replicas, template: null });
  }
  const last = objects.at(-1) ?? { kind: 'Pod', name, uid: state.uid() };
  const one: ManagedWorkload = {
    workload,
    budget: createBudget({
      clock: state.clock,
      workload: () => one.workload,
      pods: () => [...one.pods].flatMap((key) => state.api.pods.get(key) ?? []),
      lag: state.faults.budgetLag,
    }),
    owner: { apiVersion: usualApiVersion(last.kind), kind: last.kind, name: last.name, uid: last.uid },
    objects,
    pods: new Set(),
    finished: 0,
    working: false,
  };
  state.managed.set(workloadKey(workload), one);
  state.byOwner.set(one.owner.uid, one);
  state.workloadByOwner.set(one.owner.uid, workloadKey(workload));
  return one;
}

function setSize(state: State, one: ManagedWorkload, workload: Workload): void {
  one.workload = workload;
  if (neededOf(workload) === null) {
    state.budgeted.delete(workloadKey(workload));
  } else {
    state.budgeted.set(workloadKey(workload), one);
    one.budget.specChanged();
  }
  show(state, one);
  reconcile(state, one);
}

function remove(state: State, key: string): void {
  const one = state.managed.get(key);
  if (one === undefined) {
    return;
  }
  state.managed.delete(key);
  state.budgeted.delete(key);
  one.workload = { ...one.workload, pods: 0 };
  one.finished = 0;
  for (const { uid } of one.objects) {
    state.api.deleteController(uid);
  }
  collectFinishedOf(one, state.api);
  reconcile(state, one);
}

/** The garbage collector: what a Job has left goes with it. */
function collectFinishedOf({ owner }: ManagedWorkload, api: ApiServer): void {
  for (const [key, pod] of api.pods) {
    if (pod.controller?.uid === owner.uid && isFinished(pod)) {
      api.deletePod(key);
    }
  }
}

/** Creates one pod after another until the desired number is reached; a surplus is deleted at once. */
function reconcile(state: State, one: ManagedWorkload): void {
  const { clock, faults } = state;
  if (one.working || one.workload.pods - one.finished === one.pods.size) {
    return;
  }
  one.working = true;
  clock.after(PER_POD_MS + faults.controllerDelay(), () => {
    // The desired number may have changed meanwhile.
    const surplus = one.pods.size - (one.workload.pods - one.finished);
    if (surplus < 0) {
      one.pods.add(keyOf(create(state, one.workload, one.owner.name, one.owner)));
    } else {
      deleteSurplus(state, one, surplus);
    }
    one.working = false;
    reconcile(state, one);
  });
}

function create(
  { clock, api, chance, emit, uid, claim, byOwner, workloadByOwner }: State,
  {
    namespace,
    labels,
    spec,
    volumes,
    annotations = {},
  }: Pick<Workload, 'namespace' | 'labels' | 'spec' | 'volumes' | 'annotations'>,
  prefix: string,
  controller: ControllerRef,
): Pod {
  const isTaken = (name: string): boolean => api.pods.has(keyOf({ namespace, name } as Pod));
  let ordinal = 0;
  let name: string;
  do {
    name = `${prefix}-${controller.kind === 'StatefulSet' ? ordinal++ : chance.text(5, NAME_LETTERS)}`;
  } while (isTaken(name));
  const claims = Array.from(
    { length: volumes === undefined ? 0 : (volumes.each ?? 1) },
    (_, i) => `${i === 0 ? 'data' : `data${i}`}-${name}`,
  );
  const pod: Pod = {
    ...NEW_POD,
    namespace,
    name,
    uid: uid(),
    labels,
    annotations,
    createdAt: clock.now(),
    controller: controller.kind === 'Pod' ? null : controller,
    spec: claims.reduce(withVolume, spec),
  };
  if (volumes !== undefined) {
    claims.forEach((one) => claim({ namespace, name: one }, volumes));
  }
  const workload = getExisting(workloadByOwner, controller.uid);
  if (pod.controller === null) {
    byOwner.set(pod.uid, getExisting(byOwner, controller.uid));
    workloadByOwner.set(pod.uid, workload);
  }
  emit({ kind: 'PodCreated', pod: keyOf(pod), workload });
  api.createPod(pod);
  return pod;
}

const withVolume = (spec: PodSpec, claimName: string): PodSpec => ({
  ...spec,
  volumes: [...spec.volumes, { kind: 'claim', name: claimName, claimName, readOnly: false }],
});

function followPod(state: State, pod: Pod, before: Pod | null): void {
  const one = state.byOwner.get(ownerUid(pod));
  one?.budget.podsChanged();
  // A terminating pod is replaced at once, but for one of a StatefulSet, whose name the next one has.
  if (pod.deletedAt !== null && one?.workload.kind !== 'StatefulSet' && one?.pods.delete(keyOf(pod)) === true) {
    replace(state, one, pod);
    return;
  }
  if (one !== undefined && before !== null && isFinished(pod) && !isFinished(before)) {
    one.pods.delete(keyOf(pod));
    one.finished += 1;
    show(state, one);
    state.emit({ kind: 'PodFinished', pod: keyOf(pod), workload: workloadKey(one.workload) });
    expire(state, one);
  }
}

/** The TTL controller: deletes a Job some time after its end, and its pods with it. */
function expire(state: State, one: ManagedWorkload): void {
  const { pods, keptAfterEnd } = one.workload;
  const key = workloadKey(one.workload);
  if (keptAfterEnd === undefined || one.finished < pods) {
    return;
  }
  state.clock.after(keptAfterEnd, () => {
    if (state.managed.get(key) === one) {
      remove(state, key);
    }
  });
}

function followDeletion(state: State, pod: Pod): void {
  state.emit({ kind: 'PodDeleted', pod: keyOf(pod), workload: workloadOf(state, pod) });
  const one = state.byOwner.get(ownerUid(pod));
  one?.budget.podsChanged();
  if (one?.pods.delete(keyOf(pod)) === true) {
    replace(state, one, pod);
  }
}

/**
 * A pod is gone, or will be: its controller makes a new pod if it has too few. A pod without a controller is not
 * replaced.
 */
function replace(state: State, one: ManagedWorkload, pod: Pod): void {
  const { workload, finished, pods } = one;
  if (workload.kind === 'Pod' && pods.size < workload.pods - finished) {
    one.workload = { ...workload, pods: workload.pods - 1 };
    state.emit({ kind: 'PodLost', pod: keyOf(pod), workload: workloadKey(workload) });
  } else {
    reconcile(state, one);
  }
}

/** The pod garbage collector: deletes the pods of a deleted node. */
function collectPodsOf(node: NodeName, api: ApiServer): void {
  for (const [key, pod] of api.pods) {
    if (pod.nodeName === node || isPinnedTo(pod, node)) {
      api.deletePod(key);
    }
  }
}

/** A Job does not replace completed pods. */
function show({ api }: State, { objects, workload, finished }: ManagedWorkload): void {
  for (const object of objects) {
    api.putController({ ...object, replicas: Math.max(0, workload.pods - finished) });
  }
}

const workloadOf = ({ workloadByOwner }: State, pod: Pod): string =>
  workloadByOwner.get(ownerUid(pod)) ?? `${pod.namespace}/${pod.name}`;

/** UID of a pod's controller, or of the pod itself where it has none. */
const ownerUid = ({ controller, uid }: Pod): string => controller?.uid ?? uid;

/** Deletes this surplus of a workload's pods; of a StatefulSet, the pods with the highest ordinals. */
function deleteSurplus({ api, clock }: State, { workload, pods }: ManagedWorkload, surplus: number): void {
  const existing = [...pods].map((key) => getExisting(api.pods, key));
  const ordinal = ({ name }: Pod): number => Number(name.slice(name.lastIndexOf('-') + 1));
  const chosen =
    workload.kind === 'StatefulSet'
      ? existing.toSorted((a, b) => ordinal(b) - ordinal(a)).slice(0, surplus)
      : podsToDelete(existing, surplus, clock.now());
  for (const pod of chosen) {
    api.deletePod(keyOf(pod));
  }
}

/** The affinity by which the DaemonSet controller binds a pod to its node. */
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
