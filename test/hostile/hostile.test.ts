import { describe, expect, it } from 'vitest';
import type { ClusterReader } from '../../core/ports/cluster.ts';
import { EVIL } from './objects.ts';
import { caseOfSeed } from './check.ts';
import { CORPUS } from './corpus.ts';
import { faultsOf } from './laws.ts';
import type { Tamper } from './run.ts';

describe('what was found once is not found again', () => {
  it.each(CORPUS)('%s', async (_, given) => {
    expect(await faultsOf(given)).toEqual([]);
  });
});

const withReader = (change: (reader: ClusterReader) => Partial<ClusterReader>): Tamper => ({
  reader: (reader) => ({ ...reader, ...change(reader) }),
});

/** A seed shortly before one whose pods have the annotation. */
const BEFORE_ANNOTATION = 160;

describe('the check finds', () => {
  it.each<readonly [fault: string, tamper: Tamper, found: RegExp, first: number]>([
    [
      'an evaluation that throws at one annotation',
      {
        decision: (scenario, decision) => {
          if (scenario.objects.pods.some(({ annotations }) => '2500000000h' in invert(annotations))) {
            throw new RangeError('Invalid time value');
          }
          return decision;
        },
      },
      /an evaluation failed/,
      BEFORE_ANNOTATION,
    ],
    [
      'pods whose room counts as free because they are left out',
      withReader((reader) => ({
        read: async (signal) => {
          const seen = await reader.read(signal);
          const pods = seen.objects.pods.filter(({ namespace, nodeName }) => namespace !== EVIL || nodeName === null);
          return { ...seen, objects: { ...seen.objects, pods } };
        },
      })),
      /nodes are bought where/,
      1,
    ],
    [
      'a commit that fails because of what it explains',
      {
        store: (store) => ({
          ...store,
          commit: async (cluster, commit, signal) => {
            if (commit.decision.scaleUp.pods.some(({ pod, outcome }) => pod.startsWith(EVIL) && outcome !== 'Fits')) {
              throw new Error('the decision does not fit');
            }
            return await store.commit(cluster, commit, signal);
          },
        }),
      },
      /an evaluation failed/,
      1,
    ],
    [
      'a drain that never ends because its node cannot be read',
      withReader((reader) => ({
        readNode: async (node, signal) => {
          const seen = await reader.readNode(node, signal);
          if (seen.objects.pods.some(({ namespace }) => namespace === EVIL)) {
            return await new Promise((_, reject) => setImmediate(() => reject(new Error('400'))));
          }
          return seen;
        },
      })),
      /the drain of n\d+ is|warning with an error/,
      1,
    ],
    [
      'pods of the victim that are not served',
      {
        decision: (scenario, decision) => {
          return scenario.objects.pods.some(({ namespace }) => namespace === EVIL)
            ? { ...decision, scaleUp: { ...decision.scaleUp, pods: [], increases: [] } }
            : decision;
        },
      },
      /is not mentioned, and would be/,
      1,
    ],
  ])('%s', async (_, tamper, found, first) => {
    let faults = '';
    for (let seed = first; seed < first + 500 && !found.test(faults); seed += 1) {
      faults = (await faultsOf(caseOfSeed(seed), tamper)).join('\n');
    }
    expect(faults).toMatch(found);
  });
});

const invert = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [value, key]));
