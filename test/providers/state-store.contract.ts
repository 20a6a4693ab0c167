import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decision, NO_NODES } from '../../core/model/decision.ts';
import {
  type ClusterName,
  byName,
  clusterName,
  groupName,
  instanceId,
  nodeName,
  podKey,
} from '../../core/model/values/names.ts';
import type { Intent, IntentOutcome, PersistedCluster, SetSizeIntent } from '../../core/model/intent.ts';
import { type Notice, NOTICE_KINDS } from '../../core/model/notice.ts';
import { distinct } from '../../core/notices/distinct.ts';
import { mergedNotices } from '../../core/notices/merged.ts';
import type { Commit, StateStore } from '../../core/ports/state-store.ts';
import type { Pause } from '../../core/model/pause.ts';
import { ordered } from '../../core/model/ordered.ts';
import { EMPTY_STATE, type State } from '../../core/model/state.ts';
import { durationMs, type EpochMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { affinityTerm, pod, selector } from '../builders.ts';
import { scenario as anyScenario, state as anyState } from './scenario/arbitraries.ts';

/** Far ahead: a real store removes what has expired by its own clock. */
export const NOON = epochMs(Date.UTC(2096, 0, 1, 12));
export const after = (ms: number): EpochMs => epochMs(NOON + ms);

let clusters = 0;
/** A cluster that no other test uses. */
export const freshCluster = (): ClusterName => clusterName(`cluster-${process.pid}-${clusters++}`);

/** A decision that is recognized by its name. */
export function decisionOf(name: string, extra: Partial<Decision> = {}): Decision {
  return {
    name,
    scaleUp: {
      result: 'NotNeeded',
      increases: [],
      pods: [],
      upcoming: {},
      skippedGroups: [],
      considered: [],
      plan: null,
    },
    scaleDown: { result: 'Nothing', unneeded: [], removals: [], unremovable: [], message: null },
    registry: { clusterHealthy: true, totals: NO_NODES, groups: {}, repairs: [] },
    state: EMPTY_STATE,
    ...extra,
  };
}

/** A state that is recognized by its time. */
export const stateAt = (time: EpochMs, extra: Partial<State> = {}): State => ({
  ...EMPTY_STATE,
  lastEvaluation: time,
  ...extra,
});

export function intentOf(version: number, group: string, extra: Partial<SetSizeIntent> = {}): Intent {
  return {
    id: `${version}-${group}`,
    kind: 'SetSize',
    group: groupName(group),
    from: 1,
    to: 2,
    drained: [instanceId('i-drained')],
    createdAt: NOON,
    status: 'pending',
    attempts: 0,
    claimedUntil: null,
    outcome: null,
    ...extra,
  };
}

export function commitOf(expectedVersion: number, extra: Partial<Commit> = {}): Commit {
  return {
    expectedVersion,
    now: after(expectedVersion),
    state: stateAt(after(expectedVersion)),
    intents: [],
    settled: [],
    decision: decisionOf(`decision ${expectedVersion + 1}`),
    ...extra,
  };
}

/** A state with something in every part. */
export const FULL_STATE: State = {
  unneededSince: { [nodeName('n1')]: NOON },
  unregisteredSince: { [instanceId('i-1')]: NOON },
  backoff: {
    [groupName('web-a')]: { until: after(9), duration: durationMs(9), lastFailure: NOON, class: 'OutOfResources' },
  },
  scaleUpRequests: [{ group: groupName('web-a'), increase: 2, time: NOON, expectedAddTime: after(1) }],
  deletionsInProgress: [{ node: nodeName('n2'), group: groupName('web-a'), kind: 'drain', since: NOON }],
  scaleDownRequests: [{ group: groupName('web-a'), node: nodeName('n2'), time: NOON, expectedDeleteTime: after(2) }],
  unremovableUntil: { [nodeName('n3')]: after(3) },
  recentEvictions: [
    pod('evicted', {
      requests: { cpu: '500m', memory: '1Gi' },
      owner: 'ReplicaSet/web',
      spec: {
        nodeAffinity: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }], matchFields: [] }],
        volumes: [
          { kind: 'claim', name: 'data', claimName: 'data', readOnly: false },
          { kind: 'disk', name: 'd', type: 'rbd', id: 'pool/image', monitors: ['m1'], readOnly: true },
        ],
        podAntiAffinity: [affinityTerm('zone', selector({ app: 'web' }))],
      },
    }),
  ],
  reservations: { [groupName('web-a')]: [{ kind: 'f00', count: 3, existing: 1 }] },
  reservedPacking: { [groupName('web-a')]: { nodes: [[{ kind: 'f00', count: 3 }]] } },
  disruptions: [
    {
      nodes: [nodeName('node-7'), nodeName('node-8')],
      reason: 'Underutilized',
      replacement: groupName('web-b'),
      maxCost: 0.096,
      basis: 'price',
      saving: 0.288,
      moves: 12,
      since: NOON,
      deadline: after(30),
    },
  ],
  monthCosts: [
    {
      month: epochMs(Date.UTC(2025, 10, 1)),
      usd: 1_207.418_3,
      hours: 718.25,
      unpricedHours: 0,
      at: epochMs(Date.UTC(2025, 11, 1)),
      usdPerHour: 1.683_2,
      unpriced: 0,
    },
    {
      month: epochMs(Date.UTC(2025, 11, 1)),
      usd: 37.002_11,
      hours: 22.016_7,
      unpricedHours: 3.25,
      at: epochMs(Date.UTC(2025, 11, 1, 22, 1)),
      usdPerHour: 1.875_2,
      unpriced: 1,
    },
  ],
  unneededTimes: [
    {
      group: groupName('web-a'),
      time: minutes(4),
      boot: seconds(44),
      removals: 7,
      relaunched: 2,
      watched: [{ node: nodeName('node-9'), at: NOON }],
    },
  ],
  consolidationMoves: [{ controller: 'default/ReplicaSet/uid-web', first: NOON, last: after(5), pods: 12 }],
  lastEvaluation: NOON,
  lastScaleUpEvaluation: NOON,
  lastNotification: NOON,
  pausedSince: after(1),
  pausesInForce: [' All Command for ever'],
  problems: [{ kind: 'NodeTainted', since: NOON, about: 'node-9', pods: 0 }],
  incorrectSize: { [groupName('web-a')]: { current: 8, expected: 10, firstObserved: NOON } },
  seenSizes: { [groupName('web-a')]: 3 },
  seenErrors: { [groupName('web-a')]: [instanceId('i-2')] },
  shortages: [{ type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', until: after(4) }],
  repairBackoff: { [groupName('web-a')]: after(6) },
  lastScaleUp: NOON,
  lastScaleDownDelete: null,
  lastScaleDownFailure: after(5),
  groups: { [groupName('web-a')]: { lastScaleUp: NOON, lastScaleDownDelete: null, lastScaleDownFailure: null } },
};

export interface ContractOptions {
  /** A store over the same data at each call: two of them are two functions. */
  readonly open: () => StateStore;
  readonly races: number;
  readonly propertyRuns: number;
  /** Calls of the store; `null` for one that makes none. */
  readonly calls: Calls | null;
}

export interface Calls {
  /** How many items all stores together have written so far. */
  readonly itemsWritten: () => number;
  /** A store whose function dies at the call with this number (from 0), before or after the call takes effect. */
  readonly openDying: (call: number, when: When) => { readonly store: StateStore; readonly died: () => boolean };
}

export type When = 'before' | 'after';

/** Tests of every store of states, whatever it is made of. To be called inside a `describe`. */
export function stateStoreContract({ open, races, propertyRuns, calls }: ContractOptions): void {
  describe('state', () => {
    it('of a cluster that was never evaluated is empty, of version 0', async () => {
      const store = open();
      const cluster = freshCluster();
      expect(await store.load(cluster)).toEqual({ version: 0, state: EMPTY_STATE, intents: [] });
      expect(await store.lastDecision(cluster)).toBeNull();
    });

    it('comes back as it was committed, in another function too', async () => {
      const cluster = freshCluster();
      const decision = decisionOf('full', {
        state: FULL_STATE,
        scaleUp: {
          result: 'ScaledUp',
          increases: [{ group: groupName('web-a'), from: 1, to: 3 }],
          pods: [
            { pod: podKey('default', 'a'), outcome: 'Triggered', group: groupName('web-a') },
            { pod: podKey('default', 'b'), outcome: 'Unschedulable', reasons: [{ reason: 'too big' }] },
          ],
          upcoming: { [groupName('web-a')]: 2 },
          skippedGroups: [{ group: groupName('web-b'), reason: 'BackedOff' }],
          considered: [],
          plan: { cost: 1.5, bound: null, basis: 'price' },
        },
        fit: [{ pod: podKey('default', 'a'), nodes: { [nodeName('n1')]: 'ok' } }],
      });
      expect(await open().commit(cluster, commitOf(0, { state: FULL_STATE, decision }))).toEqual({
        kind: 'committed',
        version: 1,
      });
      expect(await open().load(cluster)).toEqual({ version: 1, state: FULL_STATE, intents: [] });
      expect(await open().lastDecision(cluster)).toEqual(decision);
    });

    it('is not changed by changing what was given', async () => {
      const store = open();
      const cluster = freshCluster();
      const unneededSince: Record<string, EpochMs> = { n1: NOON };
      await store.commit(cluster, commitOf(0, { state: stateAt(NOON, { unneededSince }) }));
      unneededSince['n2'] = NOON;
      expect((await store.load(cluster)).state.unneededSince).toEqual({ n1: NOON });
    });

    it.each([1, 7])('of version 0 does not take a commit on version %i', async (expectedVersion) => {
      const store = open();
      const cluster = freshCluster();
      expect(await store.commit(cluster, commitOf(expectedVersion))).toEqual({ kind: 'conflict' });
      expect((await store.load(cluster)).version).toBe(0);
    });

    it.each([0, 1, 3])('of version 2 does not take a commit on version %i', async (expectedVersion) => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0));
      await store.commit(cluster, commitOf(1));
      expect(await store.commit(cluster, commitOf(expectedVersion, { intents: [intentOf(9, 'web')] }))).toEqual({
        kind: 'conflict',
      });
      expect(await store.load(cluster)).toEqual({ version: 2, state: stateAt(after(1)), intents: [] });
      expect((await store.lastDecision(cluster))?.name).toBe('decision 2');
    });

    it('gives the last decision of each part of an evaluation, and takes one without a part for the whole', async () => {
      const store = open();
      const cluster = freshCluster();
      const names = async () =>
        await Promise.all(
          (['ScaleUp', 'ScaleDown', undefined] as const).map(
            async (part) => (await store.lastDecision(cluster, undefined, part))?.name,
          ),
        );
      const commit = async (version: number, part: 'ScaleUp' | 'ScaleDown' | null): Promise<void> => {
        const decision = { ...decisionOf(`decision ${version}`), ...(part !== null && { evaluation: part }) };
        await store.commit(cluster, commitOf(version - 1, { decision }));
      };
      expect(await names()).toEqual([undefined, undefined, undefined]);
      await commit(1, null);
      expect(await names()).toEqual(['decision 1', 'decision 1', 'decision 1']);
      await commit(2, 'ScaleDown');
      expect(await names()).toEqual(['decision 1', 'decision 2', 'decision 2']);
      for (let version = 3; version <= 30; version += 1) {
        await commit(version, 'ScaleUp');
      }
      expect(await names()).toEqual(['decision 30', 'decision 2', 'decision 30']);
    });

    it('of one cluster is none of the others, not even where a name begins with another', async () => {
      const store = open();
      const a = freshCluster();
      const b = clusterName(`${a}-b`);
      await store.commit(a, commitOf(0, { intents: [intentOf(0, 'web')] }));
      expect(await store.load(b)).toEqual({ version: 0, state: EMPTY_STATE, intents: [] });
      await store.commit(b, commitOf(0, { intents: [intentOf(0, 'web', { to: 9 })] }));
      await store.endIntent(b, '0-web', { status: 'done', outcome: null });
      expect((await store.load(a)).intents).toEqual([intentOf(0, 'web')]);
      expect(await store.claimIntent(b, '0-web', { now: NOON, until: after(1) })).toBeNull();
    });

    it('of 5,000 nodes and a decision on 10,000 pods that 100 groups reject are kept', async () => {
      const store = open();
      const cluster = freshCluster();
      const state = largeState(NOON);
      const decision = decisionOf('large', {
        scaleUp: {
          ...decisionOf('').scaleUp,
          result: 'ScaledUp',
          increases: [{ group: groupName('g1'), from: 1, to: 2 }],
          pods: Array.from({ length: 10_000 }, (_, n) => ({
            pod: podKey('default', `web-${n}`),
            outcome: 'Unschedulable' as const,
            reasons: Array.from({ length: 100 }, (__, g) => ({
              group: groupName(`g${g}`),
              reason: 'Insufficient cpu',
            })),
          })),
        },
      });
      expect(await store.commit(cluster, commitOf(0, { state, decision }))).toMatchObject({ kind: 'committed' });
      expect(inOrder((await open().load(cluster)).state)).toEqual(inOrder(state));
      const kept = await store.lastDecision(cluster);
      expect(kept?.scaleUp.increases).toEqual(decision.scaleUp.increases);
      expect(kept?.scaleUp.pods).toHaveLength(10_000);
    });

    it('of 5,000 nodes may change altogether, and be forgotten altogether', async () => {
      const cluster = freshCluster();
      const states = [EMPTY_STATE, largeState(NOON), largeState(after(1)), EMPTY_STATE, largeState(after(2))];
      for (const [version, state] of states.entries()) {
        const intents = manyIntents(version);
        const settled = version === 0 ? [] : manyIntents(version - 1).map(({ id }) => id);
        expect(await open().commit(cluster, commitOf(version, { state, intents, settled }))).toEqual({
          kind: 'committed',
          version: version + 1,
        });
        const loaded = await open().load(cluster);
        expect(inOrder(loaded.state)).toEqual(inOrder(state));
        expect(loaded.intents).toEqual(intents);
      }
    });

    it('is the one that was committed last, whatever has changed and whichever store commits', async () => {
      await fc.assert(
        fc.asyncProperty(changingStates, async (states) => {
          const cluster = freshCluster();
          // The first store has seen every version, the second every other one, each third load is of a new store.
          const stores = [open(), open()];
          for (const [version, state] of states.entries()) {
            const store = stores[version % 3 === 0 ? 1 : 0]!;
            expect(await store.commit(cluster, commitOf(version, { state }))).toMatchObject({ kind: 'committed' });
            const loaded = await (version % 3 === 2 ? open() : store).load(cluster);
            expect(inOrder(loaded.state)).toEqual(inOrder(state));
          }
        }),
        { numRuns: propertyRuns },
      );
    });
  });

  describe('intents', () => {
    it('are there with the state that decided them, sorted, until they are settled', async () => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'b'), intentOf(0, 'a')] }));
      expect((await store.load(cluster)).intents).toEqual([intentOf(0, 'a'), intentOf(0, 'b')]);

      await store.endIntent(cluster, '0-a', { status: 'done', outcome: null });
      await store.commit(cluster, commitOf(1, { settled: ['0-a'], intents: [intentOf(1, 'a')] }));
      expect((await store.load(cluster)).intents.map(({ id }) => id)).toEqual(['0-b', '1-a']);
      expect(await store.claimIntent(cluster, '0-a', { now: NOON, until: after(1) })).toBeNull();

      await store.commit(cluster, commitOf(2, { settled: ['0-b', '1-a', '0-a', 'never-was'] }));
      expect((await store.load(cluster)).intents).toEqual([]);
    });

    it('that are pending can be asked for alone, claimed or not', async () => {
      const store = open();
      const cluster = freshCluster();
      expect(await store.pendingIntents(cluster)).toEqual([]);
      const intents = ['c', 'b', 'a', 'd'].map((group) => intentOf(0, group));
      await store.commit(cluster, commitOf(0, { intents }));
      await store.commit(cluster, commitOf(1, { intents: [intentOf(1, 'a')] }));
      await store.endIntent(cluster, '0-a', { status: 'done', outcome: null });
      await store.endIntent(cluster, '0-c', { status: 'failed', outcome: { message: 'no', class: null } });
      const claimed = await store.claimIntent(cluster, '0-b', { now: NOON, until: after(60) });
      const pending = await open().pendingIntents(cluster);
      expect(pending).toEqual([claimed, intentOf(0, 'd'), intentOf(1, 'a')]);
      expect(pending).toEqual((await store.load(cluster)).intents.filter(({ status }) => status === 'pending'));
    });

    it('of every kind come back as they were, several of one group too', async () => {
      const store = open();
      const cluster = freshCluster();
      const { from: _from, to: _to, drained: _drained, ...common } = intentOf(0, 'web') as SetSizeIntent;
      const intents: readonly Intent[] = [
        {
          ...common,
          id: '0-web',
          kind: 'DeleteInstances',
          instances: [instanceId('i-1'), instanceId('i-2')],
          force: true,
        },
        intentOf(0, 'web', { id: '0.1-web' }),
      ];
      await store.commit(cluster, commitOf(0, { intents }));
      expect((await open().load(cluster)).intents).toEqual(intents);
      const claimed = await store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) });
      expect(claimed).toEqual({ ...intents[0], claimedUntil: after(60), attempts: 1 });
      await store.endIntent(cluster, '0-web', { status: 'done', outcome: null });
      await store.commit(cluster, commitOf(1, { settled: ['0-web'] }));
      expect((await store.load(cluster)).intents).toEqual([intents[1]]);
    });

    it('of 300 groups are committed at once, and settled at once', async () => {
      const store = open();
      const cluster = freshCluster();
      const intents = Array.from({ length: 300 }, (_, n) => intentOf(0, `group-${n}`)).sort((a, b) =>
        byName(a.id, b.id),
      );
      expect(await store.commit(cluster, commitOf(0, { intents }))).toMatchObject({ kind: 'committed' });
      expect((await store.load(cluster)).intents).toEqual(intents);
      const left = intents.slice(0, 299).values();
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (const { id } of left) {
            await store.endIntent(cluster, id, { status: 'done', outcome: null });
          }
        }),
      );
      const settled = intents.slice(0, 299).map(({ id }) => id);
      expect(await store.commit(cluster, commitOf(1, { settled }))).toMatchObject({ kind: 'committed' });
      expect((await store.load(cluster)).intents).toEqual(intents.slice(299));
    });

    it('left over by many commits are all loaded while they are pending, and all settled in the end', async () => {
      const store = open();
      const cluster = freshCluster();
      for (let version = 0; version < 100; version++) {
        await store.commit(cluster, commitOf(version, { intents: [intentOf(version, 'web')] }));
      }
      const { intents } = await store.load(cluster);
      expect(intents).toHaveLength(100);
      for (const { id } of intents.slice(1)) {
        await store.endIntent(cluster, id, { status: 'done', outcome: null });
      }
      let rounds = 0;
      for (; rounds < 5; rounds++) {
        const loaded = await store.load(cluster);
        const settled = loaded.intents.filter(({ status }) => status !== 'pending').map(({ id }) => id);
        if (settled.length === 0) {
          break;
        }
        expect(await store.commit(cluster, commitOf(100 + rounds, { settled }))).toMatchObject({ kind: 'committed' });
      }
      expect(rounds).toBeLessThan(5);
      expect((await store.load(cluster)).intents).toEqual([intents[0]]);
    });

    it('are never doubled: a commit with an id that exists is refused as a whole', async () => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      const doubled = commitOf(1, { intents: [intentOf(0, 'web', { to: 9 }), intentOf(1, 'api')] });
      await expect(store.commit(cluster, doubled)).rejects.toThrow(cluster);
      const twice = commitOf(1, { intents: [intentOf(1, 'api'), intentOf(1, 'api')] });
      await expect(store.commit(cluster, twice)).rejects.toThrow('1-api');
      expect(await store.load(cluster)).toEqual({ version: 1, state: stateAt(NOON), intents: [intentOf(0, 'web')] });
    });

    it('are held by one at a time, until the time they were claimed for is over', async () => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      const first = intentOf(0, 'web', { claimedUntil: after(60), attempts: 1 });
      expect(await store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) })).toEqual(first);
      expect((await store.load(cluster)).intents).toEqual([first]);
      expect(await open().claimIntent(cluster, '0-web', { now: after(59), until: after(200) })).toBeNull();
      const second = intentOf(0, 'web', { claimedUntil: after(200), attempts: 2 });
      expect(await open().claimIntent(cluster, '0-web', { now: after(60), until: after(200) })).toEqual(second);
    });

    it('are given back by their holder alone', async () => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      await store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) });
      await store.releaseIntent(cluster, '0-web', after(59));
      expect(await store.claimIntent(cluster, '0-web', { now: NOON, until: after(90) })).toBeNull();
      await store.releaseIntent(cluster, '0-web', after(60));
      expect(await store.claimIntent(cluster, '0-web', { now: NOON, until: after(90) })).toEqual(
        intentOf(0, 'web', { claimedUntil: after(90), attempts: 2 }),
      );
      await store.endIntent(cluster, '0-web', { status: 'done', outcome: null });
      await store.releaseIntent(cluster, '0-web', after(90));
      await store.releaseIntent(cluster, '0-none', after(90));
      expect((await store.load(cluster)).intents).toEqual([
        intentOf(0, 'web', { status: 'done', claimedUntil: after(90), attempts: 2 }),
      ]);
    });

    it('that do not exist cannot be claimed, and ending them does nothing', async () => {
      const store = open();
      const cluster = freshCluster();
      expect(await store.claimIntent(cluster, '0-web', { now: NOON, until: after(1) })).toBeNull();
      await store.endIntent(cluster, '0-web', { status: 'done', outcome: null });
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      expect(await store.claimIntent(cluster, '0-other', { now: NOON, until: after(1) })).toBeNull();
      await store.endIntent(cluster, '0-other', { status: 'done', outcome: null });
      expect((await store.load(cluster)).intents).toEqual([intentOf(0, 'web')]);
    });

    it.each([
      ['done', null],
      ['refused', { message: 'the target is now 5', class: null }],
      ['failed', { message: 'no capacity', class: 'OutOfResources' }],
    ] as const)('end once: %s stays, and until when it was claimed', async (status, outcome: IntentOutcome | null) => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      await store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) });
      await store.endIntent(cluster, '0-web', { status, outcome });
      await store.endIntent(cluster, '0-web', {
        status: status === 'done' ? 'failed' : 'done',
        outcome: { message: 'too late', class: 'Other' },
        shownBy: after(90),
      });
      expect((await store.load(cluster)).intents).toEqual([
        intentOf(0, 'web', { status, outcome, claimedUntil: after(60), attempts: 1 }),
      ]);
      expect(await store.claimIntent(cluster, '0-web', { now: after(120), until: after(180) })).toBeNull();
    });

    it('end with the time by which their change is shown, before the end of their claim', async () => {
      const store = open();
      const cluster = freshCluster();
      await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      await store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) });
      await store.endIntent(cluster, '0-web', { status: 'done', outcome: null, shownBy: after(15) });
      expect((await store.load(cluster)).intents).toEqual([
        intentOf(0, 'web', { status: 'done', claimedUntil: after(15), attempts: 1 }),
      ]);
    });
  });

  describe('races', () => {
    it(
      `of two evaluations have one winner, whose intents and decision stay (${races} times)`,
      { timeout: 300_000 },
      async () => {
        const cluster = freshCluster();
        const [left, right] = [open(), open()];
        for (let version = 0; version < races; version++) {
          const racers = [left, right].map((store, racer) =>
            store.commit(
              cluster,
              commitOf(version, {
                state: stateAt(epochMs(version), { lastScaleUp: epochMs(racer) }),
                // The shared ids with other sizes, and an id that only this racer has.
                intents: [intentOf(version, 'web', { to: 10 + racer }), intentOf(version, `own-${racer}`)],
                settled: version === 0 ? [] : [`${version - 1}-web`, `${version - 1}-own-0`, `${version - 1}-own-1`],
                decision: decisionOf(`by ${racer}`),
              }),
            ),
          );
          const outcomes = await Promise.all(racers);
          expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['committed', 'conflict']);
          const winner = outcomes.findIndex(({ kind }) => kind === 'committed');
          const { version: now, state, intents } = await (version % 2 === 0 ? left : right).load(cluster);
          expect({ now, by: state.lastScaleUp }).toEqual({ now: version + 1, by: winner });
          expect(intents).toEqual([intentOf(version, `own-${winner}`), intentOf(version, 'web', { to: 10 + winner })]);
          const decision = version % 10 === 0 ? await left.lastDecision(cluster) : decisionOf(`by ${winner}`);
          expect(decision?.name).toBe(`by ${winner}`);
        }
      },
    );

    it(`of evaluators that never wait lose no update and take no intent twice (${races / 10} commits)`, async () => {
      const cluster = freshCluster();
      const wanted = races / 10;
      const effects: string[] = [];
      let committed = 0;
      let conflicts = 0;
      await Promise.all(
        [open(), open()].map(async (store) => {
          while (committed < wanted) {
            const { version, state, intents } = await store.load(cluster);
            for (const { id } of intents.filter(({ status }) => status === 'pending')) {
              if ((await store.claimIntent(cluster, id, { now: NOON, until: after(60) })) !== null) {
                effects.push(id);
                await store.endIntent(cluster, id, { status: 'done', outcome: null });
              }
            }
            // Counters in several parts of the state, of which each commit changes two or three.
            const outcome = await store.commit(
              cluster,
              commitOf(version, {
                state: incremented(state, version),
                intents: [intentOf(version, 'web')],
                settled: intents.filter(({ status }) => status !== 'pending').map(({ id }) => id),
              }),
            );
            committed += outcome.kind === 'committed' ? 1 : 0;
            conflicts += outcome.kind === 'conflict' ? 1 : 0;
          }
        }),
      );
      const { version, state, intents } = await open().load(cluster);
      const expected = Array.from({ length: committed }).reduce<State>(
        (sum, _, index) => incremented(sum, index),
        EMPTY_STATE,
      );
      expect(version).toBe(committed);
      expect(state).toEqual(expected);
      expect(conflicts).toBeGreaterThan(0);
      const taken = [...effects, ...intents.filter(({ status }) => status === 'pending').map(({ id }) => id)];
      expect(taken.sort()).toEqual(Array.from({ length: committed }, (_, n) => `${n}-web`).sort());
    });

    it('for an intent have one winner, also at the same millisecond', async () => {
      const cluster = freshCluster();
      await open().commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
      const stores = Array.from({ length: 8 }, open);
      const claims = await Promise.all(
        stores.map((store) => store.claimIntent(cluster, '0-web', { now: NOON, until: after(60) })),
      );
      expect(claims.filter((claim) => claim !== null)).toEqual([
        intentOf(0, 'web', { claimedUntil: after(60), attempts: 1 }),
      ]);
    });

    it('between commits, claims and ends of other intents cause no conflict', async () => {
      const cluster = freshCluster();
      const store = open();
      const groups = Array.from({ length: 40 }, (_, n) => `group-${n}`);
      await store.commit(cluster, commitOf(0, { intents: groups.map((group) => intentOf(0, group)) }));
      const others = groups.slice(1).values();
      const loads: PersistedCluster[] = [];
      await Promise.all([
        ...Array.from({ length: 6 }, async () => {
          for (const group of others) {
            expect(await open().claimIntent(cluster, `0-${group}`, { now: NOON, until: after(60) })).not.toBeNull();
            await open().endIntent(cluster, `0-${group}`, { status: 'done', outcome: null });
          }
        }),
        (async () => {
          for (let version = 1; version < 20; version++) {
            const intents = [intentOf(version, 'web')];
            const settled = [version === 1 ? '0-group-0' : `${version - 1}-web`];
            expect(await store.commit(cluster, commitOf(version, { intents, settled }))).toMatchObject({
              kind: 'committed',
            });
            loads.push(await open().load(cluster));
          }
        })(),
      ]);
      // Intents that were committed with a state were seen with it, and settled ones were not.
      expect(
        loads.map(({ version, intents }) => [version, intents.filter(({ group }) => group === 'web').map((i) => i.id)]),
      ).toEqual(loads.map((_, index) => [index + 2, [`${index + 1}-web`]]));
      const { intents } = await store.load(cluster);
      expect(intents.filter(({ status }) => status === 'done')).toHaveLength(39);
    });
  });

  // A store in memory makes none.
  if (calls !== null) {
    describe('calls', () => {
      it('of a minute in which nothing changes write two items, whatever the cluster’s size', async () => {
        const cluster = freshCluster();
        const states = [stateAt(NOON), largeState(NOON)];
        let version = 0;
        for (const state of states) {
          const quiet = (): Commit => commitOf(version, { state: { ...state, lastEvaluation: after(++version) } });
          await open().commit(cluster, quiet());
          const store = open();
          await store.load(cluster);
          const before = calls.itemsWritten();
          expect(await store.commit(cluster, quiet())).toMatchObject({ kind: 'committed' });
          expect(calls.itemsWritten() - before).toBeLessThanOrEqual(2);
          // Another function, too, reads the stored items before it writes.
          expect(await open().commit(cluster, quiet())).toMatchObject({ kind: 'committed' });
          expect(calls.itemsWritten() - before).toBeLessThanOrEqual(4);
        }
      });

      it('write what has changed: a node, a group, an intent are an item each', async () => {
        const cluster = freshCluster();
        const store = open();
        const state = largeState(NOON);
        await store.commit(cluster, commitOf(0, { state }));
        const [node] = Object.keys(state.unneededSince);
        const before = calls.itemsWritten();
        await store.commit(
          cluster,
          commitOf(1, {
            state: {
              ...state,
              unneededSince: { ...state.unneededSince, [node!]: after(9) },
              repairBackoff: { [groupName('web')]: after(9) },
            },
            intents: [intentOf(1, 'web')],
          }),
        );
        expect(calls.itemsWritten() - before).toBe(2 + 3);
      });

      const crashes: readonly (readonly [string, State, State])[] = [
        ['a first commit', EMPTY_STATE, FULL_STATE],
        [
          'a change',
          FULL_STATE,
          { ...FULL_STATE, unneededSince: { [nodeName('n9')]: NOON }, reservations: {}, lastScaleUp: after(1) },
        ],
        ['a change of everything', largeState(NOON), largeState(after(1))],
        ['an end of everything', largeState(NOON), EMPTY_STATE],
      ];
      it.each(crashes)('of %s may be the last of a function: all of it lands or nothing does', async (_, old, next) => {
        const landed: boolean[] = [];
        for (let call = 0, died = true; died; call++) {
          for (const when of ['before', 'after'] as const) {
            const cluster = freshCluster();
            const load = async () => {
              const { state, ...rest } = await open().load(cluster);
              return { ...rest, state: inOrder(state), decision: (await open().lastDecision(cluster))?.name };
            };
            await open().commit(cluster, commitOf(0, { state: old, intents: [intentOf(0, 'web')] }));
            await open().endIntent(cluster, '0-web', { status: 'done', outcome: null });
            const before = await load();
            const after = { version: 2, state: inOrder(next), intents: manyIntents(1), decision: 'decision 2' };
            const dying = calls.openDying(call, when);
            const change = commitOf(1, { state: next, intents: manyIntents(1), settled: ['0-web'] });
            await dying.store.commit(cluster, change).catch(() => undefined);

            const found = await load();
            const hasLanded = found.version === 2;
            expect(found).toEqual(hasLanded ? after : before);
            // The next function can go on.
            expect((await open().commit(cluster, change)).kind).toBe(hasLanded ? 'conflict' : 'committed');
            expect(await load()).toEqual(after);
            landed.push(hasLanded);
            died = dying.died();
          }
        }
        // Nothing has changed before one particular call, and everything has changed after the call.
        expect(landed).toEqual(landed.toSorted((a, b) => Number(a) - Number(b)));
        expect(new Set(landed)).toEqual(new Set([false, true]));
      });
    });
  }

  describe('pauses', () => {
    const pauseOf = (extra: Partial<Pause> = {}): Pause => ({
      part: 'All',
      group: null,
      until: null,
      cancelDrains: false,
      source: 'Command',
      ...extra,
    });
    const later = after(60_000);
    const some = [
      pauseOf({ cancelDrains: true }),
      pauseOf({ part: 'ScaleUp' }),
      pauseOf({ part: 'ScaleDown', group: groupName('a#b'), until: later }),
      pauseOf({ group: groupName('b') }),
    ];
    const paused = async (): Promise<ClusterName> => {
      const cluster = freshCluster();
      await Promise.all(some.toReversed().map(async (pause) => await open().addPause(cluster, pause)));
      return cluster;
    };

    it('come back by themselves and with the state, in another function too, by scope', async () => {
      const cluster = await paused();
      expect(await open().pauses(cluster)).toEqual(some);
      expect((await open().load(cluster)).pauses).toEqual(some);
      expect(await open().pauses(freshCluster())).toEqual([]);
      expect(await open().load(freshCluster())).not.toHaveProperty('pauses');
    });

    it('take the place of those of the same part and node group', async () => {
      const cluster = await paused();
      await open().addPause(cluster, pauseOf({ until: later }));
      expect(await open().pauses(cluster)).toEqual([pauseOf({ until: later }), ...some.slice(1)]);
    });

    it('stay when the cluster is committed, and cause no conflict', async () => {
      const cluster = freshCluster();
      const store = open();
      await store.load(cluster);
      await open().addPause(cluster, pauseOf());
      expect(await store.commit(cluster, commitOf(0))).toMatchObject({ kind: 'committed' });
      expect((await open().load(cluster)).pauses).toEqual([pauseOf()]);
    });

    it.each([
      ['all', null, []],
      ['those of a node group', groupName('a#b'), [0, 1, 3]],
      ['those of a node group that has none', groupName('web'), [0, 1, 2, 3]],
    ] as const)('are taken back: %s', async (_, group, left) => {
      const cluster = await paused();
      expect(await open().removePauses(cluster, group)).toBe(some.length - left.length);
      expect(await open().pauses(cluster)).toEqual(left.map((index) => some[index]));
      expect((await open().load(cluster)).pauses ?? []).toEqual(left.map((index) => some[index]));
    });
  });

  describe('notices', () => {
    const noticeOf = (extra: Partial<Notice> = {}): Notice => ({
      instance: instanceId('i-0a'),
      group: groupName('spot'),
      kind: 'SpotInterruption',
      receivedAt: NOON,
      endsAt: after(120_000),
      hook: null,
      ...extra,
    });

    it('come back with the state, by instance, in another function too', async () => {
      const cluster = freshCluster();
      const hook = { name: 'outrigger', token: 't', heartbeatUntil: after(9) };
      const notices = [
        noticeOf(),
        noticeOf({ instance: instanceId('i-0b'), kind: 'LifecycleHook', endsAt: null, hook }),
        noticeOf({ instance: instanceId('i-0c'), kind: 'ScheduledChange', endsAt: after(1e9) }),
      ];
      expect(await open().load(cluster)).not.toHaveProperty('notices');
      for (const notice of notices.toReversed()) {
        await open().addNotice(cluster, notice);
      }
      expect((await open().load(cluster)).notices).toEqual(notices);
      expect(await open().load(freshCluster())).not.toHaveProperty('notices');
    });

    it('are new to one of those who add them', async () => {
      const cluster = freshCluster();
      const store = open();
      const added = await Promise.all([1, 2, 3].map(async () => await store.addNotice(cluster, noticeOf())));
      expect(added.filter((isNew) => isNew)).toHaveLength(1);
      expect(await open().addNotice(cluster, noticeOf({ receivedAt: after(-1) }))).toBe(false);
      expect(await open().addNotice(cluster, noticeOf({ endsAt: after(1) }))).toBe(true);
    });

    it('stay when the cluster is committed, and cause no conflict', async () => {
      const cluster = freshCluster();
      const store = open();
      await store.load(cluster);
      await open().addNotice(cluster, noticeOf());
      expect(await store.commit(cluster, commitOf(0))).toMatchObject({ kind: 'committed' });
      expect(await store.commit(cluster, commitOf(1))).toMatchObject({ kind: 'committed' });
      expect((await open().load(cluster)).notices).toEqual([noticeOf()]);
    });

    it('about one instance are kept each once, in whatever order and however often they come, at the same time too', async () => {
      const some = fc.record({
        kind: fc.constantFrom(...NOTICE_KINDS),
        receivedAt: fc.nat(3).map(after),
        endsAt: fc.option(fc.nat(3).map(after)),
        hook: fc.option(
          fc.record(
            {
              name: fc.constant('outrigger'),
              token: fc.constantFrom('x', 'y'),
              heartbeatUntil: fc.constant(null),
              waitsSince: fc.nat(2).map(after),
            },
            { requiredKeys: ['name', 'token', 'heartbeatUntil'] },
          ),
        ),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 6 }), async (parts) => {
          const cluster = freshCluster();
          const notices = parts.map(noticeOf);
          const store = open();
          await Promise.all(notices.map((notice) => store.addNotice(cluster, notice)));
          for (const notice of notices) {
            await open().addNotice(cluster, notice);
          }
          const loaded = (await open().load(cluster)).notices!;
          expect(loaded).toEqual(distinct(notices));
          expect(mergedNotices(loaded)).toEqual(mergedNotices(notices));
        }),
        { numRuns: propertyRuns },
      );
    });
  });

  it('stops when it is told to', async () => {
    const store = open();
    const cluster = freshCluster();
    const stopped = AbortSignal.abort(new Error('out of time'));
    await expect(store.load(cluster, stopped)).rejects.toThrow('out of time');
    await expect(store.commit(cluster, commitOf(0), stopped)).rejects.toThrow('out of time');
    await expect(store.claimIntent(cluster, '0-web', { now: NOON, until: after(1) }, stopped)).rejects.toThrow(
      'out of time',
    );
    await expect(store.endIntent(cluster, '0-web', { status: 'done', outcome: null }, stopped)).rejects.toThrow(
      'out of time',
    );
    await expect(store.lastDecision(cluster, stopped)).rejects.toThrow('out of time');
    expect((await store.load(cluster)).version).toBe(0);
  });

  it('does what a few lines say it does, whatever is done in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const cluster = freshCluster();
        const store = open();
        const model = createModel();
        for (const next of operations) {
          expect(await perform(store, cluster, model, next)).toEqual(model.apply(next));
          expect(await store.load(cluster)).toEqual(model.loaded());
        }
      }),
      { numRuns: propertyRuns },
    );
  });
}

/** A state in which every one of 5,000 nodes is remembered twice, and every tenth had a pod evicted. */
function largeState(time: EpochMs): State {
  const nodes = Array.from({ length: 5_000 }, (_, n) => hostName(n));
  const groups = Array.from({ length: 150 }, (_, n) => groupName(`group-${n}`));
  return stateAt(time, {
    unneededSince: Object.fromEntries(nodes.map((node, n) => [node, epochMs(time + n)])),
    unremovableUntil: Object.fromEntries(nodes.map((node, n) => [node, epochMs(time + n * 7)])),
    recentEvictions: Array.from({ length: 500 }, (_, n) => pod(`evicted-${n}`, { requests: { cpu: '500m' } })),
    reservations: Object.fromEntries(
      groups.map((group, n) => [group, [{ kind: `kind-${n}`, count: time % 7, existing: n }]]),
    ),
    scaleUpRequests: groups.map((group) => ({ group, increase: 1, time, expectedAddTime: time })),
    unregisteredSince: Object.fromEntries(nodes.slice(0, 500).map((_, n) => [instanceId(`i-${n}`), time])),
  });
}

const manyIntents = (version: number): readonly Intent[] =>
  Array.from({ length: 40 }, (_, n) => intentOf(version, `group-${n}`)).sort((a, b) => byName(a.id, b.id));

/** The state with its lists in the order of their names, which is all that a store keeps of their order. */
export const inOrder = (state: State): State => ordered({ ...SOME_SCENARIO, state }).state;

const SOME_SCENARIO = fc.sample(anyScenario, { numRuns: 1, seed: 1 })[0]!;

/** States of which each has some parts of the one before. */
const changingStates = fc
  .array(fc.tuple(anyState, fc.subarray(Object.keys(EMPTY_STATE) as (keyof State)[])), { minLength: 1, maxLength: 5 })
  .map((steps) =>
    steps.map((_, index) =>
      steps
        .slice(0, index + 1)
        .reduce<State>(
          (last, [state, parts]) =>
            Object.assign({}, last, ...parts.map((part) => ({ [part]: { ...EMPTY_STATE, ...state }[part] }))) as State,
          EMPTY_STATE,
        ),
    ),
  )
  // No name or label begins like this, and zod leaves such keys out.
  .filter((states) => !JSON.stringify(states).includes('"__proto__"'));

/** Adds one to a few parts of the state. */
function incremented(state: State, version: number): State {
  const group = groupName(`web-${version % 5}`);
  const node = nodeName(`n${version % 7}`);
  return {
    ...state,
    lastEvaluation: epochMs((state.lastEvaluation ?? 0) + 1),
    repairBackoff: { ...state.repairBackoff, [group]: epochMs((state.repairBackoff[group] ?? 0) + 1) },
    unneededSince: { ...state.unneededSince, [node]: epochMs((state.unneededSince[node] ?? 0) + 1) },
  };
}

/** A node's name as EC2 gives it: as hard to compress as they come. */
const hostName = (n: number): string => {
  const spread = Math.imul(n, 2_654_435_761) >>> 0;
  return `ip-10-${(spread >>> 16) & 255}-${(spread >>> 8) & 255}-${spread & 255}-${n}.eu-central-1.compute.internal`;
};

type Operation =
  | { readonly kind: 'commit'; readonly stale: -1 | 0 | 1; readonly groups: readonly string[]; readonly settle: number }
  | { readonly kind: 'claim'; readonly intent: number; readonly length: number }
  | { readonly kind: 'end'; readonly intent: number; readonly status: 'done' | 'refused' | 'failed' }
  | { readonly kind: 'wait'; readonly ms: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    stale: fc.constantFrom<(-1 | 0 | 1)[]>(0, 0, 0, 0, -1, 1),
    groups: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'ü/ 1'), { maxLength: 4 }),
    settle: fc.nat(3),
  }),
  fc.record({ kind: fc.constant('claim' as const), intent: fc.nat(12), length: fc.nat(30) }),
  fc.record({
    kind: fc.constant('end' as const),
    intent: fc.nat(12),
    status: fc.constantFrom<('done' | 'refused' | 'failed')[]>('done', 'refused', 'failed'),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40) }),
);

interface Model {
  now: number;
  version: number;
  state: State;
  readonly intents: Map<string, Intent>;
  /** Every id there ever was, so that operations may meet settled ones too. */
  readonly ids: string[];
  apply(next: Operation): unknown;
  loaded(): PersistedCluster;
}

/** The store's law in its shortest form. */
function createModel(): Model {
  return {
    now: 0,
    version: 0,
    state: EMPTY_STATE,
    intents: new Map(),
    ids: [],
    loaded() {
      return {
        version: this.version,
        state: this.state,
        intents: [...this.intents.values()].sort((a, b) => byName(a.id, b.id)),
      };
    },
    apply(next) {
      switch (next.kind) {
        case 'wait':
          this.now += next.ms;
          return undefined;
        case 'commit': {
          if (next.stale !== 0) {
            return { kind: 'conflict' };
          }
          const commit = commitIn(this, next);
          for (const id of commit.settled) {
            this.intents.delete(id);
          }
          for (const intent of commit.intents) {
            this.intents.set(intent.id, intent);
            this.ids.push(intent.id);
          }
          this.state = commit.state;
          return { kind: 'committed', version: ++this.version };
        }
        case 'claim': {
          const intent = this.intents.get(idIn(this, next.intent));
          if (intent?.status !== 'pending' || (intent.claimedUntil !== null && intent.claimedUntil > after(this.now))) {
            return null;
          }
          const claimed = { ...intent, claimedUntil: after(this.now + next.length), attempts: intent.attempts + 1 };
          this.intents.set(intent.id, claimed);
          return claimed;
        }
        case 'end': {
          const intent = this.intents.get(idIn(this, next.intent));
          if (intent?.status === 'pending') {
            this.intents.set(intent.id, { ...intent, status: next.status });
          }
          return undefined;
        }
      }
    },
  };
}

const idIn = ({ ids }: Model, index: number): string => (ids.length === 0 ? '0-none' : ids[index % ids.length]!);

const commitIn = (model: Model, { stale, groups, settle }: Operation & { kind: 'commit' }): Commit =>
  commitOf(Math.max(0, model.version + stale) === model.version && stale !== 0 ? 7_000 : model.version + stale, {
    state: stateAt(after(model.now), { lastScaleUp: after(model.version) }),
    intents: groups.map((group) => intentOf(model.version, group)),
    settled: [...model.intents.values()]
      .filter(({ status }) => status !== 'pending')
      .slice(0, settle)
      .map(({ id }) => id),
  });

/** The same operation on the store. Read before the model is changed. */
async function perform(store: StateStore, cluster: ClusterName, model: Model, next: Operation): Promise<unknown> {
  switch (next.kind) {
    case 'wait':
      return undefined;
    case 'commit':
      return await store.commit(cluster, commitIn(model, next));
    case 'claim':
      return await store.claimIntent(cluster, idIn(model, next.intent), {
        now: after(model.now),
        until: after(model.now + next.length),
      });
    case 'end':
      return await store.endIntent(cluster, idIn(model, next.intent), { status: next.status, outcome: null });
  }
}
