import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { ControllerRef, Pod } from '@outrigger/core/model/cluster/pod.ts';
import { READ_ANNOTATIONS } from '@outrigger/core/model/cluster/read-annotations.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { usualApiVersion } from '@outrigger/core/model/cluster/workloads.ts';
import {
  type Fields,
  type Manifest,
  booleanIn,
  integerIn,
  labelsIn,
  listIn,
  manifest,
  nameIn,
  objectIn,
  readFields,
  stringIn,
  timeIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, fieldOf, itemOf } from './invalid.ts';

/** `metadata`, read field by field: each reader uses only the fields that its kind keeps. */
export interface Metadata {
  readonly fields: Fields;
  readonly place: string;
}

export const metadataOf = (object: Fields, place: string, problems: Invalid[]): Metadata => ({
  fields: objectIn(object, 'metadata', place, problems),
  place: fieldOf(place, 'metadata'),
});

/** Reads the parts of an object that most kinds have; `at` is the place of `spec`. */
export function partsOf(raw: unknown, place: string, problems: Invalid[]) {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  return { object, metadata, spec: objectIn(object, 'spec', place, problems), at: fieldOf(place, 'spec') };
}

export const nameOf = ({ fields, place }: Metadata, problems: Invalid[]): string =>
  nameIn(fields, 'name', place, problems);

/** The API server always sets it; in a file the default is `default`, as with kubectl. */
export const namespaceOf = ({ fields, place }: Metadata, problems: Invalid[]): string =>
  stringIn(fields, 'namespace', place, problems) || 'default';

export const uidOf = ({ fields, place }: Metadata, problems: Invalid[]): string =>
  stringIn(fields, 'uid', place, problems);

export const resourceVersionOf = ({ fields, place }: Metadata, problems: Invalid[]): string =>
  stringIn(fields, 'resourceVersion', place, problems);

export const labelsOf = ({ fields, place }: Metadata, problems: Invalid[]): Labels =>
  labelsIn(fields, 'labels', place, problems);

export const annotationsOf = ({ fields, place }: Metadata, problems: Invalid[]): Labels =>
  labelsIn(fields, 'annotations', place, problems);

/** In UTF-16 code units, keys and values: the last applied manifest of a large pod, for one, is far shorter. */
const LONGEST_ANNOTATIONS = 65_536;

/**
 * A pod's annotations: very long annotations are reduced to the keys that are read, so that pages of them do not stay
 * in memory.
 */
export const podAnnotationsOf = (metadata: Metadata, problems: Invalid[]): Labels =>
  boundedAnnotations(annotationsOf(metadata, problems));

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

export const createdAtOf = ({ fields, place }: Metadata, problems: Invalid[]): EpochMs | null =>
  timeIn(fields, 'creationTimestamp', place, problems);

export const deletedAtOf = ({ fields, place }: Metadata, problems: Invalid[]): EpochMs | null =>
  timeIn(fields, 'deletionTimestamp', place, problems);

export const generationOf = ({ fields, place }: Metadata, problems: Invalid[]): number =>
  integerIn(fields, 'generation', place, problems) ?? 0;

/** The owner reference with `controller: true`; the API server ensures that no object has more than one. */
export function controllerOf({ fields, place }: Metadata, problems: Invalid[]): ControllerRef | null {
  const owners = listIn(fields, 'ownerReferences', place, problems);
  let controller: ControllerRef | null = null;
  for (let i = 0; i < owners.length; i += 1) {
    const at = itemOf(`${place}.ownerReferences`, i);
    const owner = readFields(owners[i], at, problems);
    if (booleanIn(owner, 'controller', at, problems) && controller === null) {
      const kind = nameIn(owner, 'kind', at, problems);
      controller = {
        apiVersion: stringIn(owner, 'apiVersion', at, problems) || usualApiVersion(kind),
        kind,
        name: nameIn(owner, 'name', at, problems),
        uid: stringIn(owner, 'uid', at, problems),
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
