import type { NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import { type ClusterObjects, NO_OBJECTS } from '@outrigger/core/model/scenario.ts';
import { withChangedPods, withController } from '@outrigger/core/model/cluster/sorted-objects.ts';
import type { Controller, PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';

/** Called at each change, at once, in the order of subscription. `before` is `null` for a new object. */
interface Watcher {
  readonly node?: (node: Node, before: Node | null) => void;
  readonly nodeDeleted?: (node: Node) => void;
  readonly pod?: (pod: Pod, before: Pod | null) => void;
  readonly podDeleted?: (pod: Pod) => void;
  /** Volumes, claims, their classes, CSINodes or attachments have changed. */
  readonly storage?: () => void;
}

/** The objects of pods' volumes. */
type StorageObjects = Pick<
  ClusterObjects,
  'persistentVolumes' | 'persistentVolumeClaims' | 'storageClasses' | 'csiNodes' | 'volumeAttachments'
>;

/** Sources of headroom, their pod templates, and the quotas that limit headroom and nodes. */
type SimulatedHeadroomSources = Pick<
  ClusterObjects,
  'capacityBuffers' | 'provisioningRequests' | 'podTemplates' | 'resourceQuotas' | 'capacityQuotas'
>;

/** The objects of a cluster's API server. Objects are values: a change replaces the object. */
export interface ApiServer {
  readonly nodes: ReadonlyMap<NodeName, Node>;
  readonly pods: ReadonlyMap<PodKey, Pod>;
  readonly objects: () => ClusterObjects;
  /** The nodes alone: the same list until one of them changes. */
  readonly listNodes: () => readonly Node[];
  readonly watch: (watcher: Watcher) => void;
  readonly putNode: (node: Node) => void;
  readonly deleteNode: (name: NodeName) => void;
  readonly createPod: (pod: Pod) => void;
  /** Changes a pod if it still exists. */
  readonly updatePod: (key: PodKey, change: (pod: Pod) => Pod) => void;
  readonly deletePod: (key: PodKey) => void;
  readonly putController: (controller: Controller) => void;
  readonly deleteController: (uid: string) => void;
  /**
   * Sets the source of the PodDisruptionBudgets and their status, which each listing of objects reads.
   *
   * @param taken receives each pod whose eviction is taken from its budget.
   */
  readonly setBudgets: (list: () => readonly PodDisruptionBudget[], taken: (pod: Pod) => void) => void;
  readonly budgets: () => readonly PodDisruptionBudget[];
  readonly takeFromBudget: (pod: Pod) => void;
  readonly storage: () => StorageObjects;
  readonly changeStorage: (change: (before: StorageObjects) => Partial<StorageObjects>) => void;
  readonly headroomSources: () => SimulatedHeadroomSources;
  readonly changeHeadroomSources: (
    change: (before: SimulatedHeadroomSources) => Partial<SimulatedHeadroomSources>,
  ) => void;
}

export function createApiServer(): ApiServer {
  /** As lists, until one of them changes: what did not change is the same object in each answer. */
  const listed: ListCache = { nodes: null, pods: [], changedPods: new Map() };
  const watchers: Watcher[] = [forgetting(listed)];
  const nodes = new Map<NodeName, Node>();
  const pods = new Map<PodKey, Pod>();
  /** In order. */
  let controllers: readonly Controller[] = [];
  const listNodes = (): readonly Node[] => (listed.nodes ??= [...nodes.values()]);
  let budgets: () => readonly PodDisruptionBudget[] = () => [];
  let onTaken: (pod: Pod) => void = () => {};
  let others: StorageObjects & SimulatedHeadroomSources = NO_OBJECTS;
  return {
    nodes,
    pods,
    listNodes,
    objects: () => ({
      ...NO_OBJECTS,
      ...others,
      nodes: listNodes(),
      pods: listPods(listed, pods),
      controllers,
      podDisruptionBudgets: budgets(),
    }),
    watch: (watcher) => {
      watchers.push(watcher);
    },
    ...nodeRequests(nodes, watchers),
    ...podRequests(pods, watchers),
    putController: (controller) => {
      controllers = withController(controllers, controller);
    },
    deleteController: (uid) => {
      controllers = controllers.filter((one) => one.uid !== uid);
    },
    setBudgets: (list, taken) => {
      budgets = list;
      onTaken = taken;
    },
    budgets: () => budgets(),
    takeFromBudget: (pod) => onTaken(pod),
    storage: () => others,
    changeStorage: (change) => {
      others = { ...others, ...change(others) };
      for (const watcher of watchers) {
        watcher.storage?.();
      }
    },
    headroomSources: () => others,
    changeHeadroomSources: (change) => {
      others = { ...others, ...change(others) };
    },
  };
}

interface ListCache {
  nodes: readonly Node[] | null;
  /** In the order of their keys, as of a real server. */
  pods: readonly Pod[];
  /** Pods that have changed since the list was made, in any version. */
  readonly changedPods: Map<PodKey, Pod>;
}

function listPods(listed: ListCache, pods: ApiServer['pods']): readonly Pod[] {
  if (listed.changedPods.size > 0) {
    listed.pods = withChangedPods(listed.pods, listed.changedPods.values(), (pod) => pods.get(keyOf(pod)));
    listed.changedPods.clear();
  }
  return listed.pods;
}

function forgetting(listed: ListCache): Watcher {
  const forgetNodes = (): void => {
    listed.nodes = null;
  };
  const notePod = (pod: Pod): void => {
    listed.changedPods.set(keyOf(pod), pod);
  };
  return { node: forgetNodes, nodeDeleted: forgetNodes, pod: notePod, podDeleted: notePod };
}

const nodeRequests = (
  nodes: Map<NodeName, Node>,
  watchers: readonly Watcher[],
): Pick<ApiServer, 'putNode' | 'deleteNode'> => ({
  putNode: (node) => {
    const before = nodes.get(node.name) ?? null;
    nodes.set(node.name, node);
    for (const watcher of watchers) {
      watcher.node?.(node, before);
    }
  },
  deleteNode: (name) => {
    const node = nodes.get(name);
    if (node !== undefined) {
      nodes.delete(name);
      for (const watcher of watchers) {
        watcher.nodeDeleted?.(node);
      }
    }
  },
});

const podRequests = (
  pods: Map<PodKey, Pod>,
  watchers: readonly Watcher[],
): Pick<ApiServer, 'createPod' | 'updatePod' | 'deletePod'> => ({
  createPod: (pod) => {
    const key = keyOf(pod);
    if (pods.has(key)) {
      throw new Error(`simulation: pod ${key} is created a second time`);
    }
    pods.set(key, pod);
    for (const watcher of watchers) {
      watcher.pod?.(pod, null);
    }
  },
  updatePod: (key, change) => {
    const before = pods.get(key);
    if (before !== undefined) {
      const pod = change(before);
      if (before.nodeName !== null && pod.nodeName !== before.nodeName) {
        throw new Error(`simulation: pod ${key} is bound to ${before.nodeName}, and now to ${pod.nodeName}`);
      }
      pods.set(key, pod);
      for (const watcher of watchers) {
        watcher.pod?.(pod, before);
      }
    }
  },
  deletePod: (key) => {
    const pod = pods.get(key);
    if (pod !== undefined) {
      pods.delete(key);
      for (const watcher of watchers) {
        watcher.podDeleted?.(pod);
      }
    }
  },
});
