import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { billedBytes } from '../../../core/explanation/history/room.ts';
import { minutes } from '../../../core/model/values/time.ts';
import type { DecisionHistory } from '../../../core/ports/decision-history.ts';
import { documentSize } from '../../../providers/compressed/document.ts';
import { createHistory } from '../../../providers/history/history.ts';
import type { HistoryItems, StoredEntry } from '../../../providers/history/items.ts';
import { memoryItems } from '../../../providers/memory/history.ts';
import { pod } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';
import { after, freshCluster } from '../state-store.contract.ts';

const items = memoryItems(() => 0);
const opened = (changed: Partial<HistoryItems> = {}, onUnreadable: (problem: object) => void = () => {}) =>
  createHistory({ items: { ...items, ...changed }, onUnreadable });

/** Keeps a decision about a number of pods. */
const keep = async (history: DecisionHistory, cluster: ReturnType<typeof freshCluster>, pods = 1, at = 0) => {
  const objects = { pods: times(pods, (n) => pod(`p-${n}`)) };
  const given = { ...scenario({ groups: [group('a')], objects }), now: after(at) };
  return await history.add(cluster, { version: pods, scenario: given, decision: evaluateScaleUp(given) });
};

describe('a history whose items cannot be written', () => {
  it('says so, and throws nothing', async () => {
    const error = new Error('the table is gone');
    const broken = { put: () => Promise.reject(error) };
    const history = opened(broken);
    expect(await keep(history, freshCluster())).toEqual({ kind: 'failed', error });
  });

  it('tries again at the next decision that says the same', async () => {
    let failures = 1;
    const flaky = {
      put: async (...given: Parameters<typeof items.put>) => {
        if (failures-- > 0) {
          throw new Error('throttled');
        }
        await items.put(...given);
      },
    };
    const history = opened(flaky);
    const cluster = freshCluster();
    expect((await keep(history, cluster)).kind).toBe('failed');
    expect((await keep(history, cluster)).kind).toBe('kept');
  });
});

describe('the room of an hour', () => {
  it('is used by what DynamoDB bills, and as long as the option says', async () => {
    const stored: StoredEntry[] = [];
    const spent: Parameters<HistoryItems['spend']>[1][] = [];
    const history = opened({
      // There is no room for the scenario.
      spend: async (_cluster, spending) => spent.push(spending) > 1,
      put: async (_cluster, entry) => void stored.push(entry),
    });
    await keep(history, freshCluster());
    const { decision, did, settings } = stored[0]!;
    const bytes = 500 + Buffer.byteLength(did) + documentSize(decision) + documentSize(settings);
    const ttl = after(minutes(7 * 24 * 60)) / 1_000;
    expect(spent).toMatchObject([{ ttl }, { ttl, bytes: billedBytes(bytes, 0) }]);
    expect(spent[0]!.bytes).toBeGreaterThan(spent[1]!.bytes + 200);
  });

  it('is not asked for again in an hour that is full', async () => {
    let asked = 0;
    const history = opened({ spend: async () => (asked += 1) > 4 });
    const cluster = freshCluster();
    const full = { kind: 'not kept', reason: 'hour is full' };
    expect(await keep(history, cluster, 1)).toEqual(full);
    expect(await keep(history, cluster, 2, minutes(1))).toEqual(full);
    expect(asked).toBe(2);
    expect(await keep(history, cluster, 3, minutes(60))).toEqual(full);
    expect(await keep(history, cluster, 4, minutes(120))).toEqual({ kind: 'kept', scenario: 'kept' });
  });
});

describe('a stored decision', () => {
  it('whose scenario has expired is there without it', async () => {
    const cluster = freshCluster();
    await keep(opened(), cluster);
    const history = opened({ scenario: async () => null });
    expect(await history.get(cluster, '1')).toMatchObject({ scenario: null, withoutScenario: 'sampled' });
  });

  it('that cannot be read is reported, and left out of lists', async () => {
    const cluster = freshCluster();
    await keep(opened(), cluster, 1);
    await keep(opened(), cluster, 2);
    const problems: object[] = [];
    const list: HistoryItems['list'] = async (...given) =>
      (await items.list(...given)).map((entry) => (entry.id === '1' ? { ...entry, decision: entry.settings } : entry));
    const read = await opened({ list }, (problem) => problems.push(problem)).decisions(cluster, {});
    expect(read.map(({ id }) => id)).toEqual(['2']);
    expect(problems).toEqual([{ key: 'decision 1', problem: expect.any(String) as string }]);
  });
});
