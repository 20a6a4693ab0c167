import { describe, expect, it } from 'vitest';
import { selectorKeys } from '../../../../core/model/snapshot/pod-kind.ts';
import { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { CountTable } from '../../../../core/scheduling/counts/count-table.ts';
import { node, pod } from '../../../builders.ts';
import { counting } from './counting.ts';

describe('counters', () => {
  it('are shared by all that count the same', () => {
    const snapshot = new Snapshot({ keys: ['app'] });
    const table = new CountTable(snapshot);
    expect(counting(table, snapshot).spread).toBe(counting(table, snapshot).spread);
  });
});

describe('the work of keeping counts', () => {
  const KINDS = 8;
  const TERMS = 64;

  /** This many pods of eight kinds come to one node, counted by the terms of half of the kinds, and leave again. */
  function work(pods: number, terms: number): { readonly matches: number; readonly adds: number } {
    let matches = 0;
    let adds = 0;
    const snapshot = new Snapshot(selectorKeys([]));
    const table = new CountTable(snapshot);
    const info = snapshot.addNode(node('n'), null);
    const kinds = Array.from({ length: KINDS }, (_, i) =>
      snapshot.kindOf(pod(`p${i}`, { namespace: i % 2 === 0 ? 'even' : 'odd', requests: { cpu: i + 1 } })),
    );
    for (let i = 0; i < terms; i++) {
      table.counter(
        `term ${i}`,
        () => ({ add: () => (adds += 1) }),
        () => ({ matches: () => (matches += 1) > 0, namespaces: new Set(['even']), required: null }),
      );
    }
    for (let i = 0; i < pods; i++) {
      snapshot.place(kinds[i % KINDS]!, info);
    }
    for (let i = 0; i < pods; i++) {
      snapshot.remove(kinds[i % KINDS]!, info);
    }
    return { matches, adds };
  }

  it.each([
    [1, 80],
    [10, 80],
    [1, 8_000],
  ])('grows with the terms, times %i, and the pods that these count, %i', (factor, pods) => {
    const terms = factor * TERMS;
    // A term is compared with each kind of its namespace once, however many pods there are of it; those of others cost nothing.
    expect(work(pods, terms)).toEqual({ matches: (KINDS / 2) * terms, adds: pods * terms });
  });
});
