import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { type ClusterObjects, emptyCollections } from '@outrigger/core/model/scenario.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { type Fields, isFields, looseFields, looseText, type SectionReader } from '../manifest/fields.ts';
import { type Invalid, report } from '../manifest/invalid.ts';
import { KINDS } from '../manifest/objects.ts';
import { nodeReader } from '../manifest/node.ts';
import { podReader } from '../manifest/pod.ts';
import { kindOf, unpackedManifests } from './kinds.ts';
import { prioritiesOf } from './priorities.ts';

/** Cluster-scoped kinds, which have no namespace. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'Node',
  'Namespace',
  'PriorityClass',
  'PersistentVolume',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'VolumeAttachment',
]);

export interface ReadObjects {
  readonly objects: ClusterObjects;
  /** Reads a pod from another place in the scenario, with the same priority classes and shared specs. */
  readonly readPod: SectionReader<Pod>;
}

/**
 * Reads `objects`: Kubernetes manifests as `kubectl get -o yaml` prints them, `List`s among them. Kinds that decisions
 * do not depend on are ignored. Fields that a live API server sets, and a scenario may omit, are set here: UIDs,
 * priorities of priority classes, and missing status.
 */
export function readObjects(raw: readonly unknown[], place: string, problems: Invalid[]): ReadObjects {
  const manifests = unpackedManifests(raw, place);
  const priorities = prioritiesOf(manifests.map((manifest) => manifest.raw));
  const readPlainPod = podReader();
  const readPod: SectionReader<Pod> = (from) =>
    readPlainPod({ ...from, fields: priorities({ ...from, fields: identified('Pod', from.fields) }) });
  const readerOf = (kind: string): SectionReader<unknown> => {
    switch (kind) {
      case 'Pod':
        return scenarioPodReader(readPod);
      case 'Node':
        return readScenarioNode;
      default:
        return getOwn(KINDS, kind).reader();
    }
  };
  const readers = new Map<string, SectionReader<unknown>>();
  const lists = emptyCollections<unknown>();
  const seen = new Map<string, string>();
  for (const { raw: manifest, place: at } of manifests) {
    if (!isFields(manifest)) {
      report(problems, at, 'an object', manifest);
      continue;
    }
    const kind = kindOf(manifest, at, problems);
    if (kind === null) {
      continue;
    }
    const read = getOrMake(readers, kind, () => readerOf(kind));
    lists[getOwn(KINDS, kind).collection].push(read({ fields: completed(kind, manifest), place: at, problems }));
    const name = objectName(kind, manifest);
    const first = getOptional(seen, name);
    if (first !== undefined) {
      report(problems, at, `each object once (this one is ${first} already)`, name);
    } else if (name !== null) {
      seen.set(name, at);
    }
  }
  return { objects: lists as unknown as ClusterObjects, readPod };
}

/** Kind, namespace and name; `null` without a name. */
function objectName(kind: string, fields: Fields): string | null {
  const { name, namespace } = looseFields(fields['metadata']);
  if (typeof name !== 'string' || name === '') {
    return null;
  }
  if (CLUSTER_SCOPED.has(kind)) {
    return `${kind} ${name}`;
  }
  return `${kind} ${looseText(namespace) || 'default'}/${name}`;
}

/** Sets missing UIDs of an object and of its owner references: the same for the same name. */
function identified(kind: string, raw: Fields): Fields {
  const { metadata } = raw;
  if (!isFields(metadata)) {
    return raw;
  }
  const owners = metadata['ownerReferences'];
  const hasUid = isGiven(metadata['uid']);
  if (hasUid && (!Array.isArray(owners) || owners.every((owner) => isFields(owner) && isGiven(owner['uid'])))) {
    return raw;
  }
  const namespace = looseText(metadata['namespace']) || 'default';
  const uidOf = (ofKind: unknown, name: unknown): string => `${String(ofKind)}/${namespace}/${String(name)}`;
  const identifiedOwner = (owner: unknown): unknown =>
    isFields(owner) && !isGiven(owner['uid']) ? { ...owner, uid: uidOf(owner['kind'], owner['name']) } : owner;
  return {
    ...raw,
    metadata: {
      ...metadata,
      uid: hasUid ? metadata['uid'] : uidOf(kind, metadata['name']),
      ownerReferences: Array.isArray(owners) ? owners.map(identifiedOwner) : owners,
    },
  };
}

const isGiven = (raw: unknown): boolean => raw !== undefined && raw !== null && raw !== '';

const isBlank = (status: unknown): boolean =>
  status === undefined || status === null || (isFields(status) && Object.keys(status).length === 0);

/** Sets fields that the API server and its controllers would have written. */
function completed(kind: string, fields: Fields): Fields {
  const object = identified(kind, fields);
  const { claimRef, volumeName } = looseFields(fields['spec']);
  if (kind === 'PersistentVolume' && isBlank(fields['status'])) {
    return { ...object, status: { phase: isFields(claimRef) ? 'Bound' : 'Available' } };
  }
  if (kind === 'PersistentVolumeClaim' && isBlank(fields['status'])) {
    return { ...object, status: { phase: isGiven(volumeName) ? 'Bound' : 'Pending' } };
  }
  return object;
}

/**
 * The default status of a pod: without a node it is unschedulable (or gated, if it has scheduling gates), with one it is
 * running.
 */
function scenarioPodReader(read: SectionReader<Pod>): SectionReader<Pod> {
  return (from) => {
    const pod = read(from);
    if (!isBlank(from.fields['status'])) {
      return pod;
    }
    if (pod.nodeName !== null) {
      return { ...pod, phase: 'Running', ready: true };
    }
    const reason = pod.spec.schedulingGates.length > 0 ? 'SchedulingGated' : 'Unschedulable';
    return { ...pod, unscheduled: { reason, since: null } };
  };
}

/** A node without conditions is ready; one with an empty list of them is not. */
const readScenarioNode: SectionReader<Node> = (from) => {
  const node = nodeReader(from);
  if (isGiven(looseFields(from.fields['status'])['conditions'])) {
    return node;
  }
  return { ...node, conditions: [{ type: 'Ready', status: 'True', reason: '', since: null }] };
};
