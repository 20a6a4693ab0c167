import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import { defaultOptions } from '../../core/model/options.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { DecisionHistory, HistoryEntry, HistoryResult } from '../../core/ports/decision-history.ts';
import { recorded } from '../../core/actuation/commit/recorded.ts';
import { digestOf } from '../../providers/history/history.ts';
import { pod } from '../builders.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import { after, freshCluster } from './state-store.contract.ts';

/** Pods that wait, in a cluster of one group; a name that cannot be compressed makes it as large as it is long. */
const waiting = (at: number, pods: number, labels: Readonly<Record<string, string>> = {}): Scenario => ({
  ...scenario({
    groups: [group('a', { nodes: [] })],
    objects: { pods: times(pods, (n) => pod(`p-${n}`, { requests: { cpu: 1 }, labels })) },
  }),
  now: after(at),
});

/** Text that no compressor makes smaller than three quarters. */
const noise = (length: number, seed: number): string =>
  times(Math.ceil(length / 43), (n) => hash('sha256', `${seed}/${n}`, 'base64url'))
    .join('')
    .slice(0, length);

const add = async (
  history: DecisionHistory,
  cluster: ReturnType<typeof freshCluster>,
  version: number,
  given: Scenario,
  decision: Decision = evaluateScaleUp(given),
): Promise<HistoryResult> => await history.add(cluster, { version, scenario: given, decision });

const ids = (entries: readonly HistoryEntry[]): readonly string[] => entries.map(({ id }) => id);

/** The law of a history. */
export function decisionHistoryContract(open: () => DecisionHistory): void {
  describe('a history', () => {
    it('has exactly what a decision was made from, so that the same is decided again', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const given = waiting(0, 3);
      const decision = evaluateScaleUp(given);
      expect(await add(history, cluster, 7, given, decision)).toEqual({ kind: 'kept', scenario: 'kept' });
      const record = await open().get(cluster, '7');
      expect(record).toMatchObject({ id: '7', at: given.now, kind: 'scale-up', changes: true });
      expect(record!.scenario).toEqual(JSON.parse(JSON.stringify(given)));
      expect(record!.decision).toEqual(JSON.parse(JSON.stringify(recorded(decision, given))));
      expect(record!.settings).toEqual(given.options);
      const again = recorded(evaluateScaleUp(record!.scenario!), record!.scenario!);
      expect(JSON.stringify(again)).toBe(JSON.stringify(recorded(decision, given)));
      expect(record!.digest).toBe(digestOf(again));
      expect(await history.get(cluster, '8')).toBeNull();
      expect(await history.get(freshCluster(), '7')).toBeNull();
    });

    it('knows what is new for each cluster by itself', async () => {
      const history = open();
      const kept = { kind: 'kept', scenario: 'kept' };
      expect(await add(history, freshCluster(), 1, waiting(0, 1))).toEqual(kept);
      expect(await add(history, freshCluster(), 1, waiting(0, 1))).toEqual(kept);
    });

    it('lists the latest first, within a period, and as many as are wanted', async () => {
      const [history, cluster] = [open(), freshCluster()];
      for (const version of [1, 2, 9, 10, 11]) {
        await add(history, cluster, version, waiting(minutes(version), version));
      }
      expect(ids(await history.list(cluster, {}))).toEqual(['11', '10', '9', '2', '1']);
      expect(ids(await history.list(cluster, { limit: 2 }))).toEqual(['11', '10']);
      expect(ids(await history.list(cluster, { since: after(minutes(2)), until: after(minutes(11)) }))).toEqual([
        '10',
        '9',
        '2',
      ]);
      expect(ids(await history.list(cluster, { until: after(minutes(10)), limit: 1 }))).toEqual(['9']);
      const [entry] = await history.list(cluster, { limit: 1 });
      expect(entry).toEqual({
        id: '11',
        at: after(minutes(11)),
        kind: 'scale-up',
        changes: true,
        did: expect.stringContaining('scale up a 0 → 3') as string,
        scenario: 'kept',
      });
      const [whole] = await history.decisions(cluster, { limit: 1 });
      expect(whole!.decision.scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 3 }]);
      expect(await history.list(freshCluster(), {})).toEqual([]);
    });

    it('keeps what says something new alone, of each part by itself, and after a restart', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const quiet = (at: number): Scenario => waiting(at, 0);
      const nothingNew = { kind: 'not kept', reason: 'nothing new' };
      expect((await add(history, cluster, 1, quiet(0))).kind).toBe('kept');
      expect(await add(history, cluster, 2, quiet(60_000))).toEqual(nothingNew);
      expect((await add(history, cluster, 3, quiet(61_000), evaluateScaleDown(quiet(61_000)))).kind).toBe('kept');
      expect(await add(history, cluster, 4, quiet(62_000))).toEqual(nothingNew);
      expect((await add(history, cluster, 4, waiting(120_000, 1))).kind).toBe('kept');
      expect((await add(history, cluster, 5, quiet(180_000))).kind).toBe('kept');
      expect(await add(open(), cluster, 6, quiet(240_000))).toEqual(nothingNew);
      expect(await add(open(), cluster, 7, quiet(241_000), evaluateScaleDown(quiet(241_000)))).toEqual(nothingNew);
      expect(ids(await history.list(cluster, {}))).toEqual(['5', '4', '3', '1']);
    });

    it('keeps nothing where the option says so', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const off = { ...waiting(0, 1), options: { ...defaultOptions(), decisionHistory: minutes(0) } };
      expect(await add(history, cluster, 1, off)).toEqual({ kind: 'not kept', reason: 'off' });
      expect(await history.list(cluster, {})).toEqual([]);
    });

    it('samples the scenarios of decisions that order nothing', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const none = (at: number, pods: number): Scenario => ({ ...waiting(at, pods), nodeGroups: [] });
      const kept: HistoryResult[] = [];
      for (const [n, at] of [0, 5, 9, 10, 11].entries()) {
        kept.push(await add(history, cluster, n + 1, none(minutes(at), n + 1)));
      }
      expect(kept.map((one) => (one.kind === 'kept' ? one.scenario : one.kind))).toEqual([
        'kept',
        'sampled',
        'sampled',
        'kept',
        'sampled',
      ]);
      expect(await history.get(cluster, '2')).toMatchObject({ scenario: null, withoutScenario: 'sampled' });
    });

    it('keeps a decision alone whose scenario does not fit an item', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const huge = waiting(0, 1, { noise: noise(700_000, 1) });
      expect(await add(history, cluster, 1, huge)).toEqual({ kind: 'kept', scenario: 'too large' });
      const record = await history.get(cluster, '1');
      expect(record).toMatchObject({ scenario: null, withoutScenario: 'too large', changes: true });
      expect(record!.decision.scaleUp.increases).toHaveLength(1);
    });

    it('writes no more than so many bytes in an hour, and keeps decisions longer than their scenarios', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const large = (n: number, at = 0): Scenario => waiting(at, n + 1, { noise: noise(260_000, n) });
      const kept: string[] = [];
      for (let n = 0; n < 8; n += 1) {
        const one = await add(history, cluster, n + 1, large(n));
        kept.push(one.kind === 'kept' ? one.scenario : one.kind);
      }
      expect(kept).toEqual([...times(4, () => 'kept'), ...times(4, () => 'sampled')]);
      // Another sandbox has the same hour, and the next hour is another one.
      expect(await add(open(), cluster, 9, large(9))).toEqual({ kind: 'kept', scenario: 'sampled' });
      expect(await add(history, cluster, 10, large(10, minutes(60)))).toEqual({ kind: 'kept', scenario: 'kept' });
    });

    it('rejects for an aborted signal alone', async () => {
      const [history, cluster] = [open(), freshCluster()];
      const signal = AbortSignal.abort(new Error('out of time'));
      const given = waiting(0, 1);
      const decision = evaluateScaleUp(given);
      await expect(history.add(cluster, { version: 1, scenario: given, decision }, signal)).rejects.toThrow(
        'out of time',
      );
    });
  });
}
