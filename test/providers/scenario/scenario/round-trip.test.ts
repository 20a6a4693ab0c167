import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { parseDocuments, printYaml } from '../../../../providers/scenario/documents.ts';
import { readScenario, writeScenario } from '../../../../providers/scenario/scenario.ts';
import { anyJson } from '../../../any-json.ts';
import { cases } from '../../../cases.ts';
import { scenario, state } from '../arbitraries.ts';
import { readState, writeState } from '../../../state-documents.ts';

function reparsed(text: string): unknown {
  const documents = parseDocuments(text);
  expect(documents).toHaveLength(1);
  const { content } = documents[0]!;
  return content.kind === 'value' ? content.value : content.errors;
}

/** The same lists in another order. */
function shuffled(list: readonly unknown[], seed: number): readonly unknown[] {
  return list
    .map((item, index) => ({ item, key: Math.imul(index + 1, seed | 1) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** A scenario whose lists have no order. */
const asSets = (read: ReturnType<typeof readScenario>): unknown =>
  read.ok && {
    ...read.value,
    nodeGroups: new Set(read.value.nodeGroups),
    objects: Object.entries(read.value.objects).map(([key, list]) => [key, Array.isArray(list) ? new Set(list) : list]),
  };

describe('a scenario', () => {
  it('is the same after it was written and read again, as JSON', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        expect(readScenario(reparsed(JSON.stringify(writeScenario(one))))).toEqual({ ok: true, value: one });
      }),
      { numRuns: cases(20) },
    );
  });

  it('is the same after it was written and read again, as YAML', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        expect(readScenario(reparsed(printYaml(writeScenario(one))))).toEqual({ ok: true, value: one });
      }),
      { numRuns: cases(10) },
    );
  });

  it('is the same whatever defaults it is read with', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        expect(readScenario(writeScenario(one), 'cluster-autoscaler')).toEqual({ ok: true, value: one });
      }),
      { numRuns: cases(10) },
    );
  });

  it('holds the same objects and groups whatever order they are listed in', () => {
    fc.assert(
      fc.property(scenario, fc.integer(), (one, seed) => {
        const document = writeScenario(one);
        const read = readScenario({
          ...document,
          nodeGroups: shuffled(document['nodeGroups'] as unknown[], seed),
          objects: shuffled(document['objects'] as unknown[], seed),
        });
        expect(asSets(read)).toEqual(asSets({ ok: true, value: one }));
      }),
      { numRuns: cases(10) },
    );
  });
});

describe('a state', () => {
  it('is the same after it was written and read again', () => {
    fc.assert(
      fc.property(state, (one) => {
        expect(readState(JSON.parse(JSON.stringify(writeState(one))))).toEqual({ ok: true, value: one });
      }),
      { numRuns: 100 },
    );
  });

  it('is written whole: nothing that it notes is left out', () => {
    expect(Object.keys(writeState(EMPTY_STATE))).toEqual(Object.keys(EMPTY_STATE));
  });

  it('is written with its names in order, so that equal states are equal bytes', () => {
    const written = writeState({
      ...EMPTY_STATE,
      seenErrors: Object.fromEntries(['b', 'a', 'C'].map((group) => [group, []])),
    });
    expect(JSON.stringify(written['seenErrors'])).toBe('{"C":[],"a":[],"b":[]}');
  });
});

describe('any JSON', () => {
  it('is a scenario or not, without a throw', () => {
    fc.assert(
      fc.property(anyJson(5), (raw) => {
        expect(readScenario(raw).ok).toBe(false);
      }),
    );
  });

  const HEAD = { apiVersion: 'outrigger.dev/v1alpha1', kind: 'Scenario', now: '2026-01-01T12:00:00Z' };
  const FIELDS = [
    'metadata',
    'provider',
    'seed',
    'kubernetesVersion',
    'options',
    'nodeGroups',
    'objects',
    'excludedNodes',
    'state',
  ];

  it.each(FIELDS)('in the place of %s is read or refused, with a place inside it', (field) => {
    fc.assert(
      fc.property(anyJson(5), (raw) => {
        const read = readScenario({ ...HEAD, [field]: raw });
        for (const { place } of read.ok ? [] : read.error) {
          expect(place.startsWith(field)).toBe(true);
        }
      }),
    );
  });

  it('in the place of any value of a scenario is read or refused', () => {
    fc.assert(
      fc.property(scenario, fc.nat(), anyJson(2), (one, n, replacement) => {
        const document = JSON.parse(JSON.stringify(writeScenario(one))) as Record<string, unknown>;
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
        Object.defineProperty(holder, key, { value: replacement, enumerable: true });
        const read = readScenario(document);
        for (const { place, expected, found } of read.ok ? [] : read.error) {
          expect(place).not.toContain('undefined');
          expect([expected, found]).not.toContain('');
        }
      }),
      { numRuns: cases(20) },
    );
  });
});
