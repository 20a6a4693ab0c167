import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Decision, PodOutcome } from '../../../core/model/decision.ts';
import { groupName, nodeName, podKey } from '../../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { MAX_DOCUMENT_BYTES, readStoredDocument, documentSize } from '../../../providers/compressed/document.ts';
import { storedDecision as schema } from '../../../providers/schema/stored/decision.ts';
import { writeStoredDecision } from '../../../providers/compressed/stored-decision.ts';
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
  const document = await writeStoredDecision(decision, maxBytes);
  expect(documentSize(document)).toBeLessThanOrEqual(maxBytes ?? MAX_DOCUMENT_BYTES);
  return schema.parse(JSON.parse(await readStoredDocument(document)));
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

  it('leaves out the stacks of unexpected errors before anything else', async () => {
    const unexpectedErrors = many(100, (n) => ({
      during: 'ScaleUp' as const,
      pod: podKey('default', `web-${n}`),
      message: 'TypeError: odd',
      stack: many(62, (line) => noise(n * 100 + line)).join(''),
    }));
    const decision = of(
      many(100, (n) => rejected(n, 10)),
      { state: stateAt(NOON), unexpectedErrors },
    );
    expect(await stored(decision, 50_000)).toEqual({
      ...decision,
      unexpectedErrors: unexpectedErrors.map((error) => ({ ...error, stack: '' })),
      omitted: ['the stacks of unexpected errors'],
    });
    expect((await stored(decision)).unexpectedErrors).toBeDefined();
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

  it('has the use of as many unneeded nodes as it lists', async () => {
    const unneeded = many(3_000, (n) => nodeName(noise(n)));
    const utilization = Object.fromEntries(unneeded.map((name) => [name, { cpu: 0.1, memory: 0.2, threshold: 0.5 }]));
    const plain = of([]);
    const { scaleDown } = await stored({ ...plain, scaleDown: { ...plain.scaleDown, unneeded, utilization } }, 60_000);
    expect(scaleDown.unneeded).toHaveLength(100);
    expect(Object.keys(scaleDown.utilization!)).toHaveLength(100);
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

  it.each([MAX_DOCUMENT_BYTES, 20_000])(
    'fits into %i bytes with thousands of buffers and requests of one namespace, and keeps those of others',
    async (bytes) => {
      const plain = of([]);
      const asking = (n: number) => ({
        name: n === 4_000 ? 'prod/spare' : `evil/${noise(4_000 + n)}`,
        wanted: 2,
        fits: 2,
        triggered: 0,
      });
      const headroom = many(4_001, (n) => ({ source: 'CapacityBuffer' as const, ...asking(n) }));
      const provisioningRequests = many(4_001, (n) => ({ class: 'c', outcome: 'Booked' as const, ...asking(n) }));
      const { scaleUp } = await stored(
        { ...plain, scaleUp: { ...plain.scaleUp, headroom, provisioningRequests } },
        bytes,
      );
      expect(scaleUp.increases).toEqual(INCREASES);
      const kept = [scaleUp.headroom, scaleUp.provisioningRequests];
      expect(kept.map((list = []) => list.some(({ name }) => name === 'prod/spare'))).toEqual([true, true]);
    },
  );

  describe('with texts that users have made long', () => {
    const long = (length: number, n = 0): string => {
      let text = '';
      for (let part = 0; text.length < length; part += 1) {
        text += noise(n * 100_000 + part);
      }
      return text;
    };
    const withReason = (reason: string, name = 'evil'): PodOutcome => ({
      pod: podKey('default', name),
      outcome: 'Unschedulable',
      reasons: [{ reason }],
    });

    it.each([
      ['one claim name of 900,000 characters', [withReason(long(900_000))]],
      ['two of 500,000', [withReason(long(500_000, 1)), withReason(long(500_000, 2))]],
      ['a thousand of 1,000', many(1_000, (n) => withReason(long(1_000, n), `evil-${n}`))],
      ['a thousand of 50,000', many(1_000, (n) => withReason(long(1_000, n) + 'x'.repeat(50_000), `evil-${n}`))],
    ])('keeps all pods, and the beginnings of the texts: %s', async (_, evil) => {
      const kept = await stored(of([...evil, withReason('Insufficient cpu', 'victim')]));
      expect(kept.scaleUp.pods).toHaveLength(evil.length + 1);
      expect(kept.scaleUp.pods.at(-1)).toEqual(withReason('Insufficient cpu', 'victim'));
      expect(kept.scaleUp.pods[0]!.reasons![0]!.reason).toHaveLength(300);
      expect(kept.omitted).toEqual([`the ends of ${evil.length} texts of more than 300 characters`]);
      expect(kept.scaleUp.increases).toEqual(INCREASES);
    });

    it('shortens those of nodes as well', async () => {
      const message = `budgets ${long(800_000)}`;
      const plain = of([]);
      const unremovable = [{ node: nodeName('n2'), reason: 'BlockedByPod' as const, message }];
      const kept = await stored({ ...plain, scaleDown: { ...plain.scaleDown, unremovable, message } });
      expect(kept.scaleDown.unremovable[0]!.message).toBe(`${message.slice(0, 299)}…`);
      expect(kept.scaleDown.message).toBe(`${message.slice(0, 299)}…`);
    });

    it('lets go of all texts before it lets go of pods of which there are few', async () => {
      const pods = many(100, (n) => withReason(long(300, n), `evil-${n}`));
      const kept = await stored(of(pods), 8_000);
      expect(kept.scaleUp.pods).toHaveLength(100);
      expect(kept.scaleUp.pods[0]).toEqual({ pod: 'default/evil-0', outcome: 'Unschedulable' });
      expect(kept.omitted?.at(-1)).toBe('all explanations in words');
    });
  });

  it('names what is to be done and counts all else where even the shortest explanations do not fit', async () => {
    const removals = many(3_000, (n) => ({
      node: nodeName(noise(n)),
      group,
      kind: 'drain' as const,
      pods: many(20, (p) => podKey('default', noise(10_000 + n * 20 + p))),
      destinations: [],
    }));
    const plain = of([]);
    const kept = await stored({ ...plain, scaleDown: { ...plain.scaleDown, removals } });
    expect(kept.scaleUp.increases).toEqual(INCREASES);
    expect(kept.scaleDown.removals).toHaveLength(100);
    expect(kept.scaleDown.removals[0]).toEqual({ ...removals[0], pods: [] });
    expect(kept.omitted).toEqual([
      'all but what is to be done, and of that all but the first 100 of each kind: there were 1 increases, 0 pods, ' +
        '0 skippedGroups, 0 considered, 3000 removals, 0 unneeded, 0 unremovable, 0 repairs',
    ]);
  });
});
