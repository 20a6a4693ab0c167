import { describe, expect, it } from 'vitest';
import { actionItems } from '../../../core/explanation/action-items.ts';
import type { ClusterRecord } from '../../../core/explanation/cluster-record.ts';
import type { Pause } from '../../../core/model/pause.ts';
import { storedHealthProblems } from '../../../core/model/health-problem.ts';
import { type GroupName, groupName, nodeName, podKey } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';

async function reasonsOf(change: (record: ClusterRecord) => Partial<ClusterRecord>, later = minutes(1)) {
  const world = eventfulWorld();
  await evaluated(world);
  const record = await clusterRecordOf(world, later);
  return actionItems({ ...record, ...change(record) }).map(({ reason, about }) => [reason, about]);
}

const pauseOf = (group: GroupName | null): Pause => ({
  part: 'All',
  group,
  until: null,
  cancelDrains: false,
  source: 'Command',
});

const WRONG = ['Invalid', 'node group wrong'];
const backoff =
  (failure: 'Configuration' | 'OutOfResources') =>
  ({ state }: ClusterRecord) => ({
    state: {
      ...state,
      backoff: {
        [groupName('web')]: { until: addTime(NOW, minutes(5)), duration: minutes(5), lastFailure: NOW, class: failure },
      },
    },
  });

describe('what needs correction', () => {
  it('is a group with an invalid setting; one at its maximum is none', async () => {
    expect(await reasonsOf(() => ({}))).toEqual([WRONG]);
  });

  it('is a group that cannot launch instances; one without capacity is none', async () => {
    expect(await reasonsOf(backoff('Configuration'))).toEqual([['Configuration', 'node group web'], WRONG]);
    expect(await reasonsOf(backoff('OutOfResources'))).toEqual([WRONG]);
  });

  it('is a part that is not evaluated any more, and a decision that is not carried out', async () => {
    expect(await reasonsOf(() => ({}), minutes(60))).toEqual([
      ['ScaleUpSilent', null],
      ['ScaleDownSilent', null],
      ['IntentWaits', 'node group web-b'],
      WRONG,
    ]);
    expect(await reasonsOf(() => ({}), minutes(4))).toEqual([WRONG]);
  });

  it('is a drain without a driver', async () => {
    const drains = [{ drain: drainOf('n2'), revision: 1, attempt: 1, drivenUntil: NOW }];
    expect(await reasonsOf(() => ({ drains }), minutes(6))).toContainEqual(['DrainStalls', 'node n2']);
  });

  it('is what an alarm was raised about: pods that wait, a silent webhook, a node that stays tainted, a pause that lasts', async () => {
    const problems = storedHealthProblems([
      { kind: 'ClusterUnhealthy' },
      { kind: 'WebhookSilent', since: NOW, pod: podKey('default', 'b') },
      { kind: 'LongPendingPods', since: NOW, pod: podKey('default', 'a'), pods: 7 },
      { kind: 'NodeTainted', since: NOW, node: nodeName('n9') },
      { kind: 'LongPause', since: NOW, pause: pauseOf(null) },
      { kind: 'LongPause', since: NOW, pause: pauseOf(groupName('web')) },
    ]);
    const world = eventfulWorld();
    await evaluated(world);
    const record = await clusterRecordOf(world, minutes(1));
    const found = actionItems({ ...record, state: { ...record.state, problems } });
    expect(found.slice(0, -1).map(({ reason, about, what }) => [reason, about, what.replace(/^.*?\. /, '')])).toEqual([
      ['LongPause', null, 'Since 2026-01-01T12:00:00Z.'],
      ['LongPause', 'node group web', 'Since 2026-01-01T12:00:00Z.'],
      ['LongPendingPods', 'pod default/a', 'It is one of 7 pods, since 2026-01-01T12:00:00Z.'],
      ['NodeTainted', 'node n9', 'Since 2026-01-01T12:00:00Z.'],
      ['WebhookSilent', 'pod default/b', 'Since 2026-01-01T12:00:00Z.'],
    ]);
    expect(found.every(({ advice }) => advice !== null)).toBe(true);
  });

  it('is a mistake of the program', async () => {
    const reasons = await reasonsOf(({ scaleUp }) => ({
      scaleUp: {
        ...scaleUp!,
        unexpectedErrors: [{ during: 'ScaleUp', group: groupName('web'), message: 'x', stack: '' }],
      },
    }));
    expect(reasons).toEqual([WRONG, ['UnexpectedError', 'node group web']]);
  });
});
