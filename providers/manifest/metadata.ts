import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { ControllerRef, Pod } from '@outrigger/core/model/cluster/pod.ts';
import { READ_ANNOTATIONS } from '@outrigger/core/model/cluster/read-annotations.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { usualApiVersion } from '@outrigger/core/model/cluster/workloads.ts';
import {
  type Manifest,
  type Section,
  booleanIn,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  sectionsIn,
  stringIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';

/** The parts of an object that most kinds have. */
export const partsOf = (from: Section): { readonly metadata: Section; readonly spec: Section } => ({
  metadata: objectIn(from, 'metadata'),
  spec: objectIn(from, 'spec'),
});

/** The API server always sets it; in a file the default is `default`, as with kubectl. */
export const namespaceOf = (metadata: Section): string => stringIn(metadata, 'namespace') || 'default';

/** In UTF-16 code units, keys and values: the last applied manifest of a large pod, for one, is far shorter. */
const LONGEST_ANNOTATIONS = 65_536;

/**
 * A pod's annotations: very long annotations are reduced to the keys that are read, so that pages of them do not stay
 * in memory.
 */
export const podAnnotationsOf = (metadata: Section): Labels => boundedAnnotations(labelsIn(metadata, 'annotations'));

export function boundedAnnotations(annotations: Labels): Labels {
  let length = 0;
  for (const key in annotations) {
    // A value that is not a string has been reported.
    length += key.length + (typeof annotations[key] === 'string' ? annotations[key].length : 0);
  }
  if (length <= LONGEST_ANNOTATIONS) {
    return annotations;
  }
  const read = READ_ANNOTATIONS.filter((key) => Object.hasOwn(annotations, key));
  return Object.fromEntries(read.map((key) => [key, getOwn(annotations, key)]));
}

/** The owner reference with `controller: true`; the API server ensures that no object has more than one. */
export function controllerOf(metadata: Section): ControllerRef | null {
  let controller: ControllerRef | null = null;
  for (const owner of sectionsIn(metadata, 'ownerReferences')) {
    if (booleanIn(owner, 'controller') && controller === null) {
      const kind = nameIn(owner, 'kind');
      controller = {
        apiVersion: stringIn(owner, 'apiVersion') || usualApiVersion(kind),
        kind,
        name: nameIn(owner, 'name'),
        uid: stringIn(owner, 'uid'),
      };
    }
  }
  return controller;
}

const writeOwner = ({ apiVersion, kind, name, uid }: ControllerRef): Manifest => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

export type WrittenMetadata = Partial<
  Pick<Pod, 'namespace' | 'uid' | 'labels' | 'annotations' | 'createdAt' | 'deletedAt' | 'controller'>
> & { readonly name: string; readonly generation?: number };

export const writeMetadata = (of: WrittenMetadata): Manifest =>
  manifest({
    namespace: of.namespace,
    name: of.name,
    uid: unlessBlank(of.uid ?? ''),
    generation: of.generation || null,
    labels: unlessEmpty(of.labels ?? {}),
    annotations: unlessEmpty(of.annotations ?? {}),
    creationTimestamp: mapOptional(of.createdAt, formatTime),
    deletionTimestamp: mapOptional(of.deletedAt, formatTime),
    ownerReferences: [of.controller].filter((owner) => owner !== null && owner !== undefined).map(writeOwner),
  });
