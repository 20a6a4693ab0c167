import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterObjects } from '../../../core/model/scenario.ts';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import type { Invalid } from '../../../providers/manifest/invalid.ts';
import { KINDS, writeObjects } from '../../../providers/manifest/objects.ts';
import { clusterObjects } from './arbitraries.ts';
import { anyJson } from '../../any-json.ts';
import { cases } from '../../cases.ts';

const KIND_NAMES = Object.keys(KINDS);

/** Reads manifests as they come out of an API server: through JSON, one reader per kind. */
function readAll(manifests: readonly unknown[]): ClusterObjects {
  const lists: Record<string, unknown[]> = {};
  const readers = new Map(KIND_NAMES.map((kind) => [kind, KINDS[kind]!.reader()]));
  for (const kind of KIND_NAMES) {
    lists[KINDS[kind]!.collection] = [];
  }
  const problems: Invalid[] = [];
  for (const raw of JSON.parse(JSON.stringify(manifests)) as { kind: string }[]) {
    lists[KINDS[raw.kind]!.collection]!.push(readers.get(raw.kind)!(sectionOf(raw, raw.kind, problems)));
  }
  expect(problems).toEqual([]);
  return lists as unknown as ClusterObjects;
}

describe('manifests', () => {
  it('read as what they were written from', () => {
    fc.assert(
      fc.property(clusterObjects, (objects) => {
        expect(readAll(writeObjects(objects))).toEqual({ ...objects, excludedNodes: undefined });
      }),
      { numRuns: cases(50) },
    );
  });

  it.each(KIND_NAMES)('%s: any JSON is read or refused, never thrown at', (kind) => {
    fc.assert(
      fc.property(anyJson(6), (raw) => {
        const problems: Invalid[] = [];
        KINDS[kind]!.reader()(sectionOf(raw, '', problems));
        // No JSON value without a name is an object of any kind.
        expect(problems.length).toBeGreaterThan(0);
      }),
    );
  });

  it.each(KIND_NAMES)('%s: a damaged manifest is read or refused, with a place inside it', (kind) => {
    const objects = clusterObjects.map((all) => writeObjects(all).filter((manifest) => manifest['kind'] === kind));
    fc.assert(
      fc.property(objects, fc.nat(), anyJson(1), (manifests, at, replacement) => {
        for (const manifest of manifests) {
          const damaged = JSON.parse(JSON.stringify(manifest)) as unknown;
          replaceLeaf(damaged, at, replacement);
          const problems: Invalid[] = [];
          KINDS[kind]!.reader()(sectionOf(damaged, '', problems));
          for (const { place, expected } of problems) {
            expect(place).toMatch(
              /^(?:metadata|spec|status|template|data|provisioner|volumeBindingMode|allowedTopologies|value|globalDefault)/,
            );
            expect(expected).not.toBe('');
          }
        }
      }),
      { numRuns: cases(10) },
    );
  });
});

/** Puts something else in the place of the n-th value of a document, counting around. */
function replaceLeaf(document: unknown, n: number, replacement: unknown): void {
  const slots: [Record<string, unknown>, string][] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        slots.push([value as Record<string, unknown>, key]);
        collect((value as Record<string, unknown>)[key]);
      }
    }
  };
  collect(document);
  const [holder, key] = slots[n % slots.length]!;
  if (key !== '__proto__') {
    holder[key] = replacement;
  }
}
