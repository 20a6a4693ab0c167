import { type Node, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import { keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@outrigger/core/model/cluster/storage.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { minutes, seconds } from '@outrigger/core/model/values/time.ts';
import type { ApiServer } from './api-server.ts';
import type { Chance } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';
import { isSimulatedNodeReady } from './node-readiness.ts';
import type { PodVolumes } from './workload.ts';
import type { Emit } from '../world-event.ts';
import type { WorldFaults } from '../world-faults.ts';

const DRIVER = 'ebs.csi.aws.com';
/** On a Nitro instance without many network interfaces. */
const MOST_ATTACHED = 26;
const GIB = 2 ** 30;
/** From a pod's being bound, or a volume's being detached elsewhere, until it is attached. */
const ATTACH: Span = { min: 800, max: 5_000 };
const DETACH: Span = { min: 800, max: 6_000 };
/** A volume of a node that is not ready is taken for mounted so long. The attach-detach controller's `maxWaitForUnmountDuration`. */
const FORCED_AFTER = minutes(6);
const LOOKS_EVERY = seconds(5);

/** Volumes of a simulated cluster that one node at a time may have attached. */
export interface Storage {
  /** Creates a claim of a pod, if it is not there yet, and the volume too where that does not wait for the pod. */
  readonly claim: (claim: Pick<PersistentVolumeClaim, 'namespace' | 'name'>, volumes: PodVolumes) => void;
  /**
   * Calls back when all volumes of a pod are attached to its node: at once for a pod without volumes, never if the pod
   * ends before.
   */
  readonly whenAttached: (pod: Pod, then: () => void) => void;
}

interface StorageOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly emit: Emit;
  readonly faults: Pick<WorldFaults, 'volumeDetach'>;
}

interface State extends StorageOptions {
  /** The node of each attached volume. */
  readonly attached: Map<string, NodeName>;
  /** Callbacks for the time when a volume has been detached. */
  readonly waiting: Map<string, (() => void)[]>;
}

/**
 * Starts the provisioner and the attach-detach controller, with a CSINode for each node from the first claim on. A volume is
 * in one zone; one whose class waits for its first consumer is made in the zone of the node that the pod is bound to.
 * It is detached when its pod is gone; of a node that is not ready after six minutes, or with the node.
 */
export function startStorage(options: StorageOptions): Storage {
  const { api, clock, chance, faults } = options;
  const state: State = { ...options, attached: new Map(), waiting: new Map() };
  const { attached } = state;
  api.watch({
    node: (node, before) => {
      if (before === null && api.storage().persistentVolumeClaims.length > 0) {
        addCsiNode(options, node);
      }
    },
    nodeDeleted: ({ name }) => {
      if (api.storage().csiNodes.some((one) => one.name === name)) {
        api.changeStorage(({ csiNodes }) => ({ csiNodes: csiNodes.filter((one) => one.name !== name) }));
      }
      for (const [volume, node] of attached) {
        if (node === name) {
          clock.after(chance.within(DETACH), () => detach(state, volume, name));
        }
      }
    },
    pod: (pod, before) => {
      if (pod.nodeName !== null && before?.nodeName !== pod.nodeName) {
        provisionFor(api, pod);
      }
    },
    podDeleted: (pod) => {
      const { nodeName: node } = pod;
      for (const volume of volumesOf(api, pod)) {
        if (node !== null && attached.get(volume) === node) {
          clock.after(chance.within(DETACH) + faults.volumeDetach(), () => release(state, volume, node));
        }
      }
    },
  });
  return {
    claim: (claim, volumes) => addClaim(options, claim, volumes),
    whenAttached: (pod, then) => attach(state, pod, then),
  };
}

/** The names of a pod's claims; most pods have none. */
const claimNamesOf = ({ spec: { volumes } }: Pod): readonly string[] =>
  volumes.filter((volume) => volume.kind === 'claim').map(({ claimName }) => claimName);

function claimsOf(api: ApiServer, pod: Pod): readonly PersistentVolumeClaim[] {
  const names = claimNamesOf(pod);
  if (names.length === 0) {
    return [];
  }
  return api
    .storage()
    .persistentVolumeClaims.filter(({ namespace, name }) => namespace === pod.namespace && names.includes(name));
}

const volumesOf = (api: ApiServer, pod: Pod): readonly string[] =>
  claimsOf(api, pod)
    .map(({ volumeName }) => volumeName)
    .filter((name) => name !== '');

function addCsiNode({ api }: StorageOptions, { name }: Node): void {
  api.changeStorage(({ csiNodes }) => ({
    csiNodes: [
      ...csiNodes.filter((one) => one.name !== name),
      { name, annotations: {}, drivers: [{ name: DRIVER, nodeId: name, count: MOST_ATTACHED }] },
    ],
  }));
}

/** The class of volumes of one zone. */
const classOf = ({ zone, waits }: PodVolumes): StorageClass => ({
  name: `${zone}-${waits ? 'waits' : 'immediate'}`,
  provisioner: DRIVER,
  bindingMode: waits ? 'WaitForFirstConsumer' : 'Immediate',
  allowedTopologies: [[{ key: ZONE_LABEL, operator: 'In', values: [zone] }]],
  isDefault: false,
});

function addClaim(
  options: StorageOptions,
  { namespace, name }: Parameters<Storage['claim']>[0],
  volumes: PodVolumes,
): void {
  const { api } = options;
  const before = api.storage();
  if (before.persistentVolumeClaims.some((one) => one.namespace === namespace && one.name === name)) {
    return;
  }
  if (before.persistentVolumeClaims.length === 0) {
    api.nodes.forEach((node) => addCsiNode(options, node));
  }
  const storageClass = classOf(volumes);
  const claim: PersistentVolumeClaim = {
    namespace,
    name,
    uid: `claim-${namespace}-${name}`,
    labels: {},
    annotations: {},
    storageClass: storageClass.name,
    volumeName: '',
    volumeMode: 'Filesystem',
    accessModes: ['ReadWriteOnce'],
    requestBytes: 8 * GIB,
    selector: null,
    phase: 'Pending',
    ownerPodUid: null,
    deleted: false,
  };
  api.changeStorage(({ storageClasses, persistentVolumeClaims }) => ({
    storageClasses: storageClasses.some((one) => one.name === storageClass.name)
      ? storageClasses
      : [...storageClasses, storageClass],
    persistentVolumeClaims: [...persistentVolumeClaims, claim],
  }));
  if (!volumes.waits) {
    provision(api, claim, volumes.zone);
  }
}

/** The volumes of a pod that has got its node, and for which their claims have waited. */
function provisionFor(api: ApiServer, pod: Pod): void {
  const zone = getOptional(api.nodes, pod.nodeName)?.labels[ZONE_LABEL];
  for (const claim of claimsOf(api, pod)) {
    if (zone !== undefined && claim.volumeName === '') {
      provision(api, claim, zone);
    }
  }
}

function provision(api: ApiServer, claim: PersistentVolumeClaim, zone: string): void {
  const { namespace, name, uid } = claim;
  const volume: PersistentVolume = {
    name: `pvc-${namespace}-${name}`,
    labels: {},
    storageClass: claim.storageClass!,
    capacityBytes: claim.requestBytes,
    accessModes: claim.accessModes,
    volumeMode: claim.volumeMode,
    phase: 'Bound',
    claimRef: { namespace, name, uid },
    nodeAffinity: [{ matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }], matchFields: [] }],
    csi: { driver: DRIVER, handle: `vol-${namespace}-${name}`, inTree: false },
    deleted: false,
  };
  api.changeStorage(({ persistentVolumes, persistentVolumeClaims }) => ({
    persistentVolumes: [...persistentVolumes, volume],
    persistentVolumeClaims: persistentVolumeClaims.with(persistentVolumeClaims.indexOf(claim), {
      ...claim,
      volumeName: volume.name,
      phase: 'Bound',
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    }),
  }));
}

/**
 * Attaches the volumes of a pod one after the other; a volume that is attached to another node waits until it is
 * detached there.
 */
function attach(state: State, pod: Pod, then: () => void): void {
  const { api, attached, waiting, clock, chance } = state;
  const current = api.pods.get(keyOf(pod));
  const node = pod.nodeName!;
  if (claimNamesOf(pod).length > 0 && (current?.uid !== pod.uid || !api.nodes.has(node))) {
    return;
  }
  const volume = volumesOf(api, pod).find((one) => attached.get(one) !== node);
  if (volume === undefined) {
    then();
  } else if (attached.has(volume)) {
    waiting.set(volume, [...(waiting.get(volume) ?? []), () => attach(state, pod, then)]);
  } else {
    clock.after(chance.within(ATTACH), () => {
      if (!attached.has(volume) && api.pods.get(keyOf(pod))?.uid === pod.uid && api.nodes.has(node)) {
        show(state, volume, node);
      }
      attach(state, pod, then);
    });
  }
}

/** The pod of a volume is gone: the volume is detached, unless another pod on the node uses it. */
function release(state: State, volume: string, node: NodeName, since = state.clock.now()): void {
  const { api, attached, clock } = state;
  const there = api.nodes.get(node);
  const isUsed = api.pods.values().some((pod) => pod.nodeName === node && volumesOf(api, pod).includes(volume));
  if (attached.get(volume) !== node || isUsed) {
    return;
  }
  if (there !== undefined && !isSimulatedNodeReady(there) && clock.now() - since < FORCED_AFTER) {
    clock.after(LOOKS_EVERY, () => release(state, volume, node, since));
  } else {
    detach(state, volume, node);
  }
}

function detach(state: State, volume: string, node: NodeName): void {
  const { api, attached, waiting, emit } = state;
  if (attached.get(volume) !== node) {
    return;
  }
  attached.delete(volume);
  api.changeStorage(({ volumeAttachments }) => ({
    volumeAttachments: volumeAttachments.filter(({ persistentVolume }) => persistentVolume !== volume),
  }));
  emit({ kind: 'VolumeDetached', volume, node });
  const next = waiting.get(volume) ?? [];
  waiting.delete(volume);
  next.forEach((go) => go());
}

function show({ api, attached, emit }: State, volume: string, node: NodeName): void {
  attached.set(volume, node);
  api.changeStorage(({ volumeAttachments }) => ({
    volumeAttachments: [
      ...volumeAttachments,
      { name: `csi-${volume}`, attacher: DRIVER, nodeName: node, persistentVolume: volume, attached: true },
    ],
  }));
  emit({ kind: 'VolumeAttached', volume, node });
}
