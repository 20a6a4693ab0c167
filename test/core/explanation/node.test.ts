import { describe, expect, it } from 'vitest';
import { explainNode } from '../../../core/explanation/node.ts';
import type { ClusterRecord } from '../../../core/explanation/cluster-record.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';

async function record(): Promise<ClusterRecord> {
  const world = eventfulWorld();
  await evaluated(world);
  return await clusterRecordOf(world);
}
const explained = async (name: string) => explainNode(await record(), nodeName(name));

describe('a node', () => {
  it('that is not needed has its group, since when, and until when it stays', async () => {
    expect(await explained('n1')).toMatchObject({
      group: 'web',
      decidedAt: NOW,
      unneededSince: NOW,
      utilization: { cpu: 0, memory: 0, threshold: 0.5 },
      unremovable: { reason: 'NotUnneededLongEnough', why: 'unneeded for 0s, and removed after 10m', until: null },
      removal: null,
      drain: null,
    });
  });

  it('that a pod keeps has the pod, its reason, and when it is checked again', async () => {
    expect(await explained('n2')).toMatchObject({
      unneededSince: null,
      utilization: null,
      unremovable: {
        reason: 'BlockedByPod',
        pod: 'default/solo',
        podReason: 'NotReplicated',
        until: addTime(NOW, minutes(5)),
      },
    });
  });

  it('that is in use says how much of it is', async () => {
    expect((await explained('n3'))!.unremovable!.why).toBe('75% of its cpu is requested, and 50% is the threshold');
  });

  it('of a decision of an older version has no use', async () => {
    const known = await record();
    const { utilization: _, ...scaleDown } = known.scaleDown!.scaleDown;
    const older = { ...known, scaleDown: { ...known.scaleDown!, scaleDown } };
    expect(explainNode(older, nodeName('n1'))).toMatchObject({ unneededSince: NOW, utilization: null });
  });

  it('that is drained has its latest drain', async () => {
    const known = await record();
    const stored = { revision: 1, attempt: 1, drivenUntil: NOW };
    const drains = [
      { ...stored, drain: drainOf('n1', { id: '2/n1', createdAt: addTime(NOW, minutes(1)), phase: 'Validating' }) },
      { ...stored, drain: drainOf('n1', { id: '1/n1', phase: 'RolledBack' }) },
    ];
    expect(explainNode({ ...known, drains }, nodeName('n1'))).toMatchObject({ drain: { phase: 'Validating' } });
  });

  it('that is not in the cluster has no explanation', async () => {
    expect(await explained('n4')).toBeNull();
  });
});
