import { describe, expect, it } from 'vitest';
import { loadClusterRecord } from '../../providers/cluster-record.ts';
import { addTime, minutes } from '../../core/model/values/time.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../explained.ts';
import { WEB } from '../functions/test-world.ts';
import { NOW } from '../scenario-builders.ts';

describe('the record of a cluster', () => {
  it('is the latest decision of each part', async () => {
    const world = eventfulWorld();
    await evaluated(world);
    expect(await clusterRecordOf(world)).toMatchObject({
      mode: 'act',
      scaleUp: { evaluation: 'ScaleUp', scaleUp: { result: 'ScaledUp' } },
      scaleDown: { evaluation: 'ScaleDown', scaleDown: { unneeded: ['n1'] } },
      intents: [{ group: 'web-b', status: 'pending' }],
    });
  });

  it('is that of the deployment that has evaluated it last, where two share a table', async () => {
    const acts = eventfulWorld();
    await evaluated(acts);
    const observes = eventfulWorld({ dryRun: true, store: acts.store });
    observes.time = addTime(NOW, minutes(1));
    await evaluated(observes);
    expect(await clusterRecordOf(observes)).toMatchObject({
      mode: 'observe',
      state: { lastScaleUpEvaluation: observes.time, lastScaleUp: NOW },
      intents: [],
    });
    acts.time = addTime(NOW, minutes(3));
    await evaluated(acts);
    expect(await clusterRecordOf(acts)).toMatchObject({ mode: 'act', intents: [{ group: 'web-b' }] });
  });

  it('is nothing before the first evaluation', async () => {
    const options = { idleEvaluationInterval: minutes(5) };
    const signal = AbortSignal.timeout(60_000);
    expect(await loadClusterRecord(eventfulWorld(), { cluster: WEB, options, now: NOW }, signal)).toBeNull();
  });
});
