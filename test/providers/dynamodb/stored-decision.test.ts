import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Decision, PodOutcome } from '../../../core/model/decision.ts';
import { groupName, nodeName, podKey } from '../../../core/model/names.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { MAX_DOCUMENT_BYTES, readDocument, sizeOf } from '../../../providers/dynamodb/document.ts';
import { decision as schema } from '../../../providers/dynamodb/schema/decision.ts';
import { writeDecision } from '../../../providers/dynamodb/stored-decision.ts';
import { decisionOf, NOON, stateAt } from '../state-store.contract.ts';

/** Text that does not compress. */
const noise = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
const many = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));

const group = groupName('web-a');
const INCREASES = [{ group, from: 1, to: 3 }];
const REMOVALS: Decision['scaleDown']['removals'] = [
  { node: nodeName('n1'), group, kind: 'drain', pods: [podKey('default', 'x')], destinations: [] },
];

/** A decision of pods, with something to do in it. */
const of = (pods: readonly PodOutcome[], extra: Partial<Decision> = {}): Decision => {
  const plain = decisionOf('large');
  return {
    ...plain,
    scaleUp: { ...plain.scaleUp, increases: INCREASES, pods },
    scaleDown: { ...plain.scaleDown, removals: REMOVALS },
    ...extra,
  };
};

async function stored(decision: Decision, maxBytes?: number): Promise<Decision> {
  const document = await writeDecision(decision, maxBytes);
  expect(sizeOf(document)).toBeLessThanOrEqual(maxBytes ?? MAX_DOCUMENT_BYTES);
  return schema.parse(JSON.parse(await readDocument(document)));
}

const rejected = (n: number, groups: number): PodOutcome => ({
  pod: podKey('default', `web-${n}`),
  outcome: 'Unschedulable',
  reasons: [
    ...many(groups, (g) => ({ group: groupName(`g${g}`), reason: 'Insufficient cpu' })),
    { group: groupName('gpu'), reason: 'node(s) had untolerated taint {gpu: true}' },
  ],
});

describe('a stored decision', () => {
  it('is the decision itself where it fits', async () => {
    const decision = of(
      many(100, (n) => rejected(n, 10)),
      { state: stateAt(NOON) },
    );
    expect(await stored(decision)).toEqual(decision);
  });

  it('counts the reasons of pods where they are too many, and keeps single ones', async () => {
    const kept = await stored(of(many(2_000, (n) => rejected(n, 200))));
    expect(kept.scaleUp.pods).toHaveLength(2_000);
    expect(kept.scaleUp.pods[0]).toEqual({
      pod: 'default/web-0',
      outcome: 'Unschedulable',
      reasons: [
        { reason: 'Insufficient cpu (200 node groups)' },
        { group: 'gpu', reason: 'node(s) had untolerated taint {gpu: true}' },
      ],
    });
    expect(kept.omitted).toEqual(["which node group rejects which pod: a pod's reasons are counted instead"]);
  });

  it('leaves out explanations before the state, the state before pods, and never what is to be done', async () => {
    const state = stateAt(NOON, { unneededSince: Object.fromEntries(many(500, (n) => [noise(n), NOON])) });
    const considered = many(500, (n) => ({
      options: [group, groupName(noise(1_000 + n))].map((name) => ({
        group: name,
        nodes: 1,
        pods: 1,
        waste: 0,
        similarGroups: [],
      })),
      winner: group,
      why: 'least waste',
      split: [],
    }));
    const pods = many(3_000, (n): PodOutcome => ({
      pod: podKey('default', noise(3_000 + n)),
      outcome: n % 2 === 0 ? 'Fits' : 'Awaiting',
    }));
    const plain = of(pods, { state, fit: many(500, (n) => ({ pod: podKey('fit', noise(2_000 + n)), nodes: {} })) });
    const decision = { ...plain, scaleUp: { ...plain.scaleUp, considered } };
    const sizes = [200_000, 165_000, 145_000, 120_000, 90_000, 40_000];
    const kept = await Promise.all(sizes.map((bytes) => stored(decision, bytes)));
    for (const { scaleUp, scaleDown } of kept) {
      expect({ increases: scaleUp.increases, removals: scaleDown.removals }).toEqual({
        increases: INCREASES,
        removals: REMOVALS,
      });
    }
    expect(
      kept.map(({ fit, scaleUp, state: after, omitted = [] }) => ({
        fit: fit !== undefined,
        options: scaleUp.considered[0]?.options.length,
        state: after.lastEvaluation !== EMPTY_STATE.lastEvaluation,
        pods: scaleUp.pods.length,
        omitted: omitted.length,
      })),
    ).toEqual([
      { fit: true, options: 2, state: true, pods: 3_000, omitted: 0 },
      { fit: false, options: 2, state: true, pods: 3_000, omitted: 1 },
      { fit: false, options: 1, state: true, pods: 3_000, omitted: 2 },
      { fit: false, options: 1, state: false, pods: 3_000, omitted: 3 },
      { fit: false, options: 1, state: false, pods: 2_000, omitted: 4 },
      { fit: false, options: 1, state: false, pods: 200, omitted: 5 },
    ]);
    expect(kept.at(-1)?.omitted).toEqual([
      'which nodes each pod fits on',
      'the options that were considered and not chosen',
      'the state after the decision',
      '1000 pods and nodes: at most 1000 are listed for each outcome',
      '1800 pods and nodes: at most 100 are listed for each outcome',
    ]);
  });

  it('is refused where even what is to be done does not fit, in words that say what there is', async () => {
    await expect(writeDecision(of([]), 100)).rejects.toThrow(
      /large does not fit 100 bytes .*: 1 increases, 1 removals/,
    );
  });
});
