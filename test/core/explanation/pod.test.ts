import { describe, expect, it } from 'vitest';
import { explainPod, knownPods } from '../../../core/explanation/pod.ts';
import type { ClusterRecord } from '../../../core/explanation/cluster-record.ts';
import { nodeName, podKey, groupName } from '../../../core/model/values/names.ts';
import { pod } from '../../builders.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';

async function record(): Promise<ClusterRecord> {
  const world = eventfulWorld();
  await evaluated(world);
  return await clusterRecordOf(world);
}
const key = (name: string) => podKey('default', name);

describe('a pod', () => {
  it('that a group grows for has the group and its new size', async () => {
    expect(explainPod(await record(), key('waits'))).toMatchObject({
      decidedAt: NOW,
      scaleUp: { outcome: 'Triggered', group: 'web-b', increase: { from: 0, to: 1 }, reasons: [] },
      keeps: [],
    });
  });

  it('that no group holds has each reason once, with the groups that it is about', async () => {
    const { scaleUp } = explainPod(await record(), key('huge'))!;
    expect(scaleUp).toMatchObject({ outcome: 'Unschedulable', group: null, increase: null });
    expect(scaleUp!.reasons).toContainEqual({ reason: 'Insufficient cpu', groups: ['web', 'web-b'] });
  });

  it('that keeps its node has the reason and what to do', async () => {
    expect(explainPod(await record(), key('solo'))).toMatchObject({
      scaleUp: null,
      keeps: [{ node: 'n2', reason: 'BlockedByPod', advice: expect.stringContaining('safe-to-evict') }],
    });
  });

  it('that must move has the node that it moves from', async () => {
    const known = await record();
    const removal = {
      node: nodeName('n2'),
      group: groupName('web'),
      kind: 'drain',
      pods: [key('moves')],
      destinations: [],
    } as const;
    const scaleDown = { ...known.scaleDown!, scaleDown: { ...known.scaleDown!.scaleDown, removals: [removal] } };
    expect(explainPod({ ...known, scaleDown }, key('moves'))).toMatchObject({
      movesFrom: [{ node: 'n2', group: 'web' }],
    });
  });

  it('that is evicted has the last refusal', async () => {
    const known = await record();
    const evicted = pod('evicted');
    const eviction = {
      pod: key('evicted'),
      uid: evicted.uid,
      manifest: evicted,
      graceSeconds: 30,
      firstTriedAt: NOW,
      giveUpAt: NOW,
      evictedAt: null,
      goneAt: null,
      tries: 3,
      throttles: 0,
      nextTryAt: NOW,
      refusal: 'Cannot evict pod',
    };
    const drains = [{ drain: drainOf('n2', { evictions: [eviction] }), revision: 1, attempt: 1, drivenUntil: NOW }];
    expect(explainPod({ ...known, drains }, key('evicted'))).toMatchObject({
      evictions: [{ node: 'n2', tries: 3, refusal: 'Cannot evict pod' }],
    });
    expect(knownPods({ ...known, drains })).toContain('default/evicted');
  });

  it('that nothing mentions has no explanation', async () => {
    expect(explainPod(await record(), key('busy'))).toBeNull();
  });
});
