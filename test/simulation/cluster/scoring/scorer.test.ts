import { describe, expect, test } from 'vitest';
import type { NodeInfo } from '../../../../core/model/snapshot/snapshot.ts';
import { NO_OBJECTS } from '../../../../core/model/scenario.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { createScorer } from '../../../../simulation/cluster/scoring/scorer.ts';
import { node, pod } from '../../../builders.ts';
import { times } from '../../../scenario-builders.ts';

describe('the scheduler', () => {
  test('goes to the node that all plugins together like best, and leaves ties to chance', () => {
    const nodes = times(4, (i) => node(`n${i}`, { cpu: 4, memory: '8Gi' }));
    const waits = pod('p', { requests: { cpu: 1, memory: '2Gi' } });
    const snapshot = clusterSnapshot({ ...NO_OBJECTS, nodes }, [waits]);
    const kind = snapshot.kindOf(waits);
    const scorer = createScorer(snapshot, NO_OBJECTS);
    const infos = snapshot.nodes as readonly NodeInfo[];
    snapshot.place(kind, infos[0]!);
    snapshot.place(kind, infos[2]!, 2);
    const chosen = (draw: number) => scorer.choose({ kind, owner: null }, infos, () => draw).name;
    expect([0, 0.99].map(chosen)).toEqual(['n3', 'n1']);
    snapshot.place(kind, infos[1]!);
    snapshot.place(kind, infos[3]!, 2);
    expect([0, 0.99].map(chosen)).toEqual(['n1', 'n0']);
  });
});
