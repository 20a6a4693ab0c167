import { isDeepStrictEqual } from 'node:util';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import type { Page } from '../json-page.ts';
import type { ObservedObject } from '../observed.ts';

/** An object of a list: the parts that are read, and the errors of reading it. */
export interface ListEntry {
  /** `NAMESPACE/NAME`, or the name alone; `''` where not even that can be read. */
  readonly key: string;
  /** `null` for an object that cannot be read and has no substitute. */
  readonly item: ObservedObject | null;
  readonly rejected: readonly RejectedObject[];
}

/** The objects of one kind as a full list shows them at a resource version. Never changed once it is made. */
export interface ListView {
  readonly resourceVersion: number;
  /** In the order of a list: by key, without duplicates. */
  readonly entries: readonly ListEntry[];
  readonly page: Page<ObservedObject>;
}

/** Changed objects, by key; `null`: the object is gone, or is not selected any more. */
export type Changes = ReadonlyMap<string, ListEntry | null>;

/**
 * A list's or an event's resource version as a number; `null` for any other text. Versions of one resource are compared
 * as numbers (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions), which Kubernetes
 * requires of API servers since 1.35; earlier API servers use etcd's revisions.
 */
export const versionOf = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;

/** The key of an object, by what its metadata or the item has. */
export function entryKey(named: object): string {
  const { name, namespace } = named as { readonly name?: unknown; readonly namespace?: unknown };
  if (typeof name !== 'string' || name === '') {
    return '';
  }
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}

export function pageOfEntries(entries: readonly ListEntry[]): Page<ObservedObject> {
  const items: ObservedObject[] = [];
  const rejected: RejectedObject[] = [];
  for (const { item, rejected: own } of entries) {
    if (item !== null) {
      items.push(item);
    }
    own.forEach((one) => rejected.push(one));
  }
  return { items, rejected, continueToken: '' };
}

/** A full list as a view; `null` where changes could not be applied to it: an object has no key, or keys are not in order. */
export function viewOf(
  entries: readonly ListEntry[],
  page: Page<ObservedObject>,
  resourceVersion: number,
): ListView | null {
  let last = '';
  for (const { key } of entries) {
    if (key <= last) {
      return null;
    }
    last = key;
  }
  return { resourceVersion, entries, page };
}

/** The view after changes: what a full list shows at that resource version. */
export function withChanges(view: ListView, changes: Changes, resourceVersion: number): ListView {
  if (changes.size === 0) {
    return { ...view, resourceVersion };
  }
  const changed = [...changes].toSorted(([a], [b]) => byName(a, b));
  const entries: ListEntry[] = [];
  let next = 0;
  const add = (entry: ListEntry | null): void => {
    if (entry !== null) {
      entries.push(entry);
    }
  };
  for (const entry of view.entries) {
    let change = changed[next];
    for (; change !== undefined && change[0] < entry.key; change = changed[next]) {
      add(change[1]);
      next += 1;
    }
    if (change?.[0] === entry.key) {
      add(change[1]);
      next += 1;
    } else {
      add(entry);
    }
  }
  changed.slice(next).forEach(([, entry]) => add(entry));
  return { resourceVersion, entries, page: pageOfEntries(entries) };
}

/** The keys of objects that two views of the same resource version show differently; none where they are equal. */
export function differingKeys(a: ListView, b: ListView): readonly string[] {
  const others = new Map(b.entries.map((entry) => [entry.key, entry]));
  const differing = a.entries.filter((entry) => {
    const other = others.get(entry.key);
    others.delete(entry.key);
    return !isDeepStrictEqual(entry, other);
  });
  return [...differing.map(({ key }) => key), ...others.keys()];
}
