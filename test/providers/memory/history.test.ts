import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { createHistory } from '../../../providers/history/history.ts';
import { createMemoryHistory, memoryItems } from '../../../providers/memory/history.ts';
import { pod } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { decisionHistoryContract } from '../decision-history.contract.ts';
import { freshCluster } from '../state-store.contract.ts';

const items = memoryItems(() => 0);
decisionHistoryContract(() => createHistory({ items, onUnreadable: () => {} }));

describe('a history in memory', () => {
  it('forgets decisions after the time that the option says', async () => {
    let now: number = NOW;
    const history = createMemoryHistory(() => now);
    const cluster = freshCluster();
    const given = scenario({ groups: [group('a')], objects: { pods: [pod('p')] } });
    await history.add(cluster, { version: 1, scenario: given, decision: evaluateScaleUp(given) });
    now = NOW + minutes(7 * 24 * 60) - 1;
    expect(await history.list(cluster, {})).toHaveLength(1);
    now += 1;
    expect(await history.list(cluster, {})).toEqual([]);
    expect(await history.get(cluster, '1')).toBeNull();
  });
});
