import { byName } from '@outrigger/core/model/values/names.ts';
import type { Clock } from '../clock.ts';
import {
  isDeleting,
  type ManagedKind,
  type ManagedObject,
  type ObjectMeta,
  type ManagedObjectOf,
  timestamp,
} from './objects.ts';

/** The metadata of an object that its creator gives. */
type NewMeta = Pick<ObjectMeta, 'name' | 'namespace'> &
  Partial<Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>>;

/**
 * The objects of an API server with its bookkeeping: UIDs, resource versions, generations, deletion that waits for
 * finalizers. Objects are values: a change replaces the object.
 */
export interface ObjectStore {
  /** In the order of their keys, as an API server lists them. */
  readonly list: <Kind extends ManagedKind>(kind: Kind) => readonly ManagedObjectOf<Kind>[];
  readonly get: <Kind extends ManagedKind>(kind: Kind, namespace: string, name: string) => ManagedObjectOf<Kind> | null;
  readonly create: <Kind extends ManagedKind>(
    kind: Kind,
    meta: NewMeta,
    content: Pick<ManagedObjectOf<Kind>, 'spec' | 'status'>,
  ) => ManagedObjectOf<Kind>;
  /** The object as it is now; `null` where the object is gone, even if a new object has its name. */
  readonly current: <Kind extends ManagedKind>(object: ManagedObjectOf<Kind>) => ManagedObjectOf<Kind> | null;
  /**
   * Replaces an object: nothing happens where it is gone by now or the change is none, and otherwise it has a new
   * resource version.
   */
  readonly update: <Kind extends ManagedKind>(
    object: ManagedObjectOf<Kind>,
    change: (current: ManagedObjectOf<Kind>) => ManagedObjectOf<Kind>,
  ) => void;
  /** Gives an object a new resource version, as any change of it does. */
  readonly touch: (object: ManagedObject) => void;
  /** Deletes an object: at once, or, while it has finalizers, by its deletion timestamp. */
  readonly remove: (object: ManagedObject) => void;
  /** Resource version of the last change of any object. */
  readonly resourceVersion: () => string;
  /** Called at each change, at once. `null`: there was none before, or there is none any more. */
  readonly watch: (watcher: (object: ManagedObject | null, before: ManagedObject | null) => void) => void;
}

/** The objects with their resource versions, and their watchers. */
interface Storage extends Pick<ObjectStore, 'current'> {
  readonly objects: ReadonlyMap<string, ManagedObject>;
  readonly put: (object: ManagedObject, before: ManagedObject | null) => ManagedObject;
  readonly version: () => number;
  readonly watchers: Parameters<ObjectStore['watch']>[0][];
}

export function createObjectStore(clock: Clock): ObjectStore {
  const { objects, put, current, version, watchers } = createStorage();
  let created = 0;
  return {
    list: <Kind extends ManagedKind>(kind: Kind) =>
      [...objects]
        .filter(([, object]) => object.kind === kind)
        .toSorted(([a], [b]) => byName(a, b))
        .map(([, object]) => object as ManagedObjectOf<Kind>),
    get: <Kind extends ManagedKind>(kind: Kind, namespace: string, name: string) =>
      (objects.get(`${kind}/${namespace}/${name}`) ?? null) as ManagedObjectOf<Kind> | null,
    create: <Kind extends ManagedKind>(
      kind: Kind,
      meta: NewMeta,
      content: Pick<ManagedObjectOf<Kind>, 'spec' | 'status'>,
    ) => {
      created += 1;
      const metadata = {
        labels: {},
        annotations: {},
        ...meta,
        uid: `${kind.toLowerCase()}-${created}`,
        resourceVersion: '',
        generation: 1,
        creationTimestamp: timestamp(clock.now()),
      };
      return put({ kind, metadata, ...content } as ManagedObject, null) as ManagedObjectOf<Kind>;
    },
    current,
    update: <Kind extends ManagedKind>(
      object: ManagedObjectOf<Kind>,
      change: (existing: ManagedObjectOf<Kind>) => ManagedObjectOf<Kind>,
    ) => {
      const before = current(object);
      if (before === null) {
        return;
      }
      const after = change(before);
      if (JSON.stringify(after) !== JSON.stringify(before)) {
        const isOther = JSON.stringify(after.spec) !== JSON.stringify(before.spec);
        const generation = before.metadata.generation + Number(isOther);
        put({ ...after, metadata: { ...after.metadata, generation } }, before);
      }
    },
    touch: (object) => {
      const before = current(object);
      if (before !== null) {
        put(before, before);
      }
    },
    remove: (object) => {
      const before = current(object);
      if (before !== null && !isDeleting(before)) {
        put({ ...before, metadata: { ...before.metadata, deletionTimestamp: timestamp(clock.now()) } }, before);
      }
    },
    resourceVersion: () => String(version()),
    watch: (watcher) => {
      watchers.push(watcher);
    },
  };
}

function createStorage(): Storage {
  const objects = new Map<string, ManagedObject>();
  const watchers: Storage['watchers'] = [];
  let version = 1_000;
  const tell = (object: ManagedObject | null, before: ManagedObject | null): void => {
    for (const watcher of watchers) {
      watcher(object, before);
    }
  };
  return {
    objects,
    watchers,
    put: (object, before) => {
      version += 1;
      const stored: ManagedObject = {
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(version) },
      };
      if (isDeleting(stored) && (stored.metadata.finalizers ?? []).length === 0) {
        objects.delete(keyOf(stored));
        tell(null, before);
      } else {
        objects.set(keyOf(stored), stored);
        tell(stored, before);
      }
      return stored;
    },
    current: <Kind extends ManagedKind>(object: ManagedObjectOf<Kind>) => {
      const now = objects.get(keyOf(object));
      return now?.metadata.uid === object.metadata.uid ? (now as ManagedObjectOf<Kind>) : null;
    },
    version: () => version,
  };
}

const keyOf = ({ kind, metadata: { namespace, name } }: ManagedObject): string => `${kind}/${namespace}/${name}`;
