import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../../../../core/model/cluster/pod.ts';
import { CONTROLLERS, NODES, type ObservedKind, POD_LISTS } from '../../../../../providers/kubernetes/read/kinds.ts';
import { readEntries, writeEntries } from '../../../../../providers/kubernetes/read/snapshot/entry-columns.ts';
import { entryReader } from '../../../../../providers/kubernetes/read/view/entry-reader.ts';
import type { ListEntry } from '../../../../../providers/kubernetes/read/view/entries.ts';
import { nodeManifest, podManifest } from '../../../../bench/observe/objects.ts';

const entriesOf = (kind: ObservedKind, objects: readonly object[]): readonly ListEntry[] => {
  const reader = entryReader(kind);
  return objects.map((json) => reader.entry({ type: 'ADDED', object: { json } }));
};

/** Whether entries are the same after writing and reading, in every property and in their order. */
function isSame(entries: readonly ListEntry[]): boolean {
  const read = readEntries(writeEntries(entries));
  return isDeepStrictEqual(read, entries) && JSON.stringify(read) === JSON.stringify(entries);
}

const inNamespace = (object: object): object => {
  const { metadata, ...rest } = object as { readonly metadata: object };
  return { ...rest, metadata: { namespace: 'load', ...metadata } };
};

it.each([
  ['nodes', NODES, Array.from({ length: 7 }, (_, index) => nodeManifest(index))],
  ['pods', POD_LISTS, Array.from({ length: 70 }, (_, index) => inNamespace(podManifest(index, 7)))],
  ['ReplicaSets', CONTROLLERS[0]!, [{ metadata: { name: 'a', namespace: 'b', uid: 'c' }, spec: { replicas: 3 } }]],
  ['no objects', POD_LISTS, []],
] as const)('%s are the same after writing and reading', (_, kind, objects) => {
  expect(isSame(entriesOf(kind, objects))).toBe(true);
});

it('equal specs and labels are one object after reading', () => {
  const pods = Array.from({ length: 40 }, (_, index) => inNamespace(podManifest(index, 7)));
  const read = readEntries(writeEntries(entriesOf(POD_LISTS, pods))).map(({ item }) => item as Pod);
  expect(read[1]!.spec).toBe(read[2]!.spec);
  expect(read[1]!.labels).toBe(read[2]!.labels);
  expect(new Set(read.map(({ spec }) => spec)).size).toBe(new Set(read.map(({ spec }) => JSON.stringify(spec))).size);
});

it('objects that cannot be read keep their place, their key and what is said of them', () => {
  const unreadable = { metadata: { name: 'bad', namespace: 'a' }, spec: { nodeName: 'n', containers: 'none' } };
  const entries = entriesOf(POD_LISTS, [inNamespace(podManifest(0, 1)), unreadable, inNamespace(podManifest(1, 1))]);
  expect(entries[1]!.rejected).not.toEqual([]);
  expect(isSame(entries)).toBe(true);
});

it('objects that can be read in part keep what is said of the rest of them', () => {
  const whole = entriesOf(POD_LISTS, [inNamespace(podManifest(0, 1)), inNamespace(podManifest(1, 1))]);
  const rejected = [{ place: 'Pod load/part: spec.volumes', expected: 'a list', found: 'a text' }];
  const part = { ...whole[1]!, rejected };
  expect(part.item).not.toBeNull();
  expect(isSame([whole[0]!, part, whole[1]!])).toBe(true);
});

it('an object with other fields than the one before is as it was', () => {
  const [one, other] = entriesOf(POD_LISTS, [podManifest(0, 1), podManifest(1, 1)]) as [ListEntry, ListEntry];
  const { resize: _, ...fewer } = other.item as Pod;
  expect(isSame([one, { ...other, item: fewer }, other])).toBe(true);
});

const text = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('__proto__', 'constructor', '0', '[0]', '\u2028'));

it('any labels, annotations and names are the same after writing and reading', () => {
  const labels = fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true });
  const pod = fc.record({ name: text, namespace: text, uid: text, labels, annotations: labels });
  fc.assert(
    fc.property(fc.array(pod, { maxLength: 8 }), (pods) => {
      const objects = pods.map((metadata) => ({ metadata, spec: { containers: [] } }));
      expect(isSame(entriesOf(POD_LISTS, objects))).toBe(true);
    }),
  );
});

it.each([
  ['{}'],
  ['{"blocks":[{"fields":["a","b"],"length":1,"columns":[[1]]}],"shared":[]}'],
  ['{"blocks":[{"fields":["a"],"length":2,"columns":[[1]]}],"shared":[]}'],
  ['{"blocks":[{"fields":["a"],"length":1,"columns":[[[0]]]}],"shared":[]}'],
  ['{"blocks":[{"fields":["a"],"length":1,"columns":[[["length"]]]}],"shared":[1]}'],
  ['{"blocks":[{"fields":["__proto__"],"length":1,"columns":[[[0]]]}],"shared":[{}]}'],
  ['['],
])('%s is not read', (json) => {
  expect(() => readEntries(json)).toThrow(Error);
});
