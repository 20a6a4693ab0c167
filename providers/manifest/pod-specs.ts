import { LONGEST_SPEC } from '@outrigger/core/model/cluster/bounded-pod-spec.ts';
import type { PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import type { Fields } from './fields.ts';
import { UNREAD_POD_FIELDS } from './pod-spec-fields.ts';

/**
 * Shares equal specs: returns the first spec that is equal to the given one. A spec that is too long to be followed is
 * not cached: its key would be as long.
 */
export function podSpecs(): (spec: PodSpec) => PodSpec {
  const known = new Map<string, PodSpec>();
  return (spec) => {
    const key = JSON.stringify(spec);
    const first = known.get(key);
    if (first !== undefined) {
      return first;
    }
    if (key.length <= LONGEST_SPEC) {
      known.set(key, spec);
    }
    return spec;
  };
}

/** A spec as written, and as read. */
interface Example {
  readonly raw: Fields;
  readonly spec: PodSpec;
}

// The pods of one controller have one spec, or two during a roll-out. More than that belong to controllers
// whose pods all differ, as a StatefulSet's do in their claims, and comparing many would not find an equal one.
const MOST_EXAMPLES = 4;

/**
 * Caches specs as written, per controller, so that only the first pod of each is read in full: comparing two written
 * specs takes about a fifth of the time of reading one. A long spec is not cached: any pod may have a controller that
 * no other has.
 */
export function writtenSpecs(): {
  find(controllerUid: string, raw: Fields): PodSpec | null;
  add(controllerUid: string, raw: Fields, spec: PodSpec): void;
} {
  const examples = new Map<string, Example[]>();
  return {
    find: (uid, raw) => examples.get(uid)?.find((example) => equallyRead(example.raw, raw))?.spec ?? null,
    add: (uid, raw, spec) => {
      const known = examples.get(uid) ?? [];
      if (known.length < MOST_EXAMPLES && roomAfter(raw, LONGEST_SPEC) >= 0) {
        examples.set(uid, [...known, { raw, spec }]);
      }
    },
  };
}

/** The overhead of a value and its place in a list or an object, beside its own text. */
const OF_VALUE = 8;

/** The characters left of a limit after a value is written; below 0 as soon as it is too long. */
function roomAfter(value: unknown, room: number): number {
  let left = room - OF_VALUE;
  if (typeof value === 'string') {
    return left - value.length;
  }
  if (isObject(value)) {
    for (const key in value) {
      left = roomAfter(value[key], left - key.length);
      if (left < 0) {
        return left;
      }
    }
  }
  return left;
}

/** The fields that `equallyRead` need not compare, or compares in part. */
const APART = new Set([...Object.keys(UNREAD_POD_FIELDS), 'nodeName', 'containers', 'initContainers', 'volumes']);

/** The fields of a container that are read, without volume mounts: the token's volume has another name in every pod. */
const OF_CONTAINER = ['name', 'resources', 'ports', 'restartPolicy'] as const;

/**
 * Whether `readPodSpec` returns equal specs for both. The answer may be false for equal specs, and is never true for
 * different specs.
 */
const equallyRead = (a: Fields, b: Fields): boolean =>
  equalOthers(a, b) &&
  equalOthers(b, a) &&
  equalLists(a['containers'], b['containers'], equalContainers) &&
  equalLists(a['initContainers'], b['initContainers'], equalContainers) &&
  equalLists(a['volumes'], b['volumes'], equalVolumes);

const equalContainers = (a: unknown, b: unknown): boolean =>
  isObject(a) && isObject(b) && equalFields(a, b, OF_CONTAINER);

const equalVolumes = (a: unknown, b: unknown): boolean => (isToken(a) && isToken(b)) || equal(a, b);

/** A projected volume without another source: it is left out of the spec, and so is its name. */
const isToken = (volume: unknown): boolean =>
  isObject(volume) &&
  isObject(volume['projected']) &&
  typeof volume['name'] === 'string' &&
  volume['name'] !== '' &&
  Object.keys(volume).length === 2;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether the fields of one spec that are compared as a whole have the same values in the other. */
function equalOthers(a: Fields, b: Fields): boolean {
  for (const name in a) {
    if (!APART.has(name) && !equal(a[name], b[name])) {
      return false;
    }
  }
  return true;
}

function equalFields(a: Fields, b: Fields, keys: readonly string[]): boolean {
  for (const key of keys) {
    if (!equal(a[key], b[key])) {
      return false;
    }
  }
  return true;
}

function equalLists(a: unknown, b: unknown, equalItems: (a: unknown, b: unknown) => boolean): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) {
    return a === b;
  }
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i += 1) {
    if (!equalItems(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (!isObject(a) || !isObject(b)) {
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return equalLists(a, b, equal);
  }
  let more = 0;
  for (const key in a) {
    if (!equal(a[key], b[key])) {
      return false;
    }
    more += 1;
  }
  for (const _ in b) {
    more -= 1;
  }
  return more === 0;
}
