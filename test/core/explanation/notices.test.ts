import { describe, expect, it } from 'vitest';
import { explainGroup } from '../../../core/explanation/group.ts';
import { explainNode } from '../../../core/explanation/node.ts';
import { statusOf } from '../../../core/explanation/status.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Notice } from '../../../core/model/notice.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { noticeText, shortageText } from '../../../core/words/notices.ts';
import { node, pod } from '../../builders.ts';
import { evaluated, clusterRecordOf } from '../../explained.ts';
import { testWorld, WEB } from '../../functions/test-world.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { group, noticeOf, NOW, zoneLabels } from '../../scenario-builders.ts';

const LABELS = { [INSTANCE_TYPE_LABEL]: 'm5.xlarge', 'eks.amazonaws.com/capacityType': 'SPOT' };
const SPOT = groupName('spot');
const ENDS = addTime(NOW, minutes(2));

const notice = (extra: Partial<Notice> = {}): Notice => noticeOf('i-spot-0', SPOT, { endsAt: ENDS, ...extra });
const recommended = notice({ kind: 'RebalanceRecommendation', endsAt: null });

/** Two nodes, of which the first has been announced to end. */
const spotWorld = (options: Partial<Options> = {}) =>
  testWorld({
    options: { ...defaultOptions(), ...options },
    groups: [group('spot', { nodes: ['n1', 'n2'], labels: LABELS, zone: 'eu-1a' })],
    objects: {
      nodes: ['n1', 'n2'].map((name) =>
        node(name, { cpu: 4, memory: '16Gi' }, { labels: { ...LABELS, ...zoneLabels('eu-1a') } }),
      ),
      pods: [pod('web', { node: 'n1', requests: { cpu: 3 }, owner: 'ReplicaSet/web' })],
    },
  });

async function rememberedAfter(given: Notice, options: Partial<Options> = {}) {
  const world = spotWorld(options);
  await world.store.addNotice(WEB, given);
  await evaluated(world);
  return { world, record: await clusterRecordOf(world, seconds(10)) };
}

describe('a node with a notice', () => {
  it('says what is announced, when, what is done for it and until when', async () => {
    const { record } = await rememberedAfter(notice());
    const explained = explainNode(record, nodeName('n1'));
    expect(explained?.notice).toMatchObject({ instance: 'i-spot-0', answer: 'Drain', until: ENDS });
    expect(noticeText(explained!.notice!)).toBe(
      'Spot interruption, announced at 2026-01-01T12:00:00Z, the instance ends at 2026-01-01T12:02:00Z: the node is drained, until 2026-01-01T12:02:00Z',
    );
    expect(explained?.notice?.meaning).toContain('planned for elsewhere');
    expect(explainNode(record, nodeName('n2'))?.notice).toBeNull();
  });

  it('says so where nothing is done', async () => {
    const { record } = await rememberedAfter(recommended);
    expect(noticeText(explainNode(record, nodeName('n1'))!.notice!)).toBe(
      'rebalance recommendation, announced at 2026-01-01T12:00:00Z: nothing is done',
    );
  });

  it('goes by its drain once that is under way, also where the decision about it is not stored any more', async () => {
    const { world } = await rememberedAfter(recommended);
    await world.store.addNotice(WEB, notice());
    await world.drains.create(WEB, {
      drain: drainOf('n1', {
        instance: instanceId('i-spot-0'),
        notice: { kind: 'SpotInterruption', deadline: ENDS, hook: null },
      }),
      attempt: 1,
      drivenUntil: ENDS,
    });
    const record = await clusterRecordOf(world, seconds(10));
    expect(statusOf({ ...record, scaleUp: null }).notices).toMatchObject([
      { node: 'n1', notice: 'SpotInterruption', answer: 'Drain', until: ENDS },
    ]);
  });
});

describe('a status', () => {
  it('has notices that no evaluation has seen, and none that are over', async () => {
    const world = spotWorld();
    await evaluated(world);
    await world.store.addNotice(WEB, notice());
    const { notices } = statusOf(await clusterRecordOf(world, seconds(10)));
    expect(notices.map(noticeText)).toEqual([expect.stringMatching(/: not evaluated yet$/)]);
    expect(statusOf(await clusterRecordOf(world, minutes(3))).notices).toEqual([]);
  });

  it('says why a type is not launched in a zone', async () => {
    const { record } = await rememberedAfter(notice());
    const said =
      'm5.xlarge in eu-1a is launched as spot only if no other node group helps until 2026-01-01T12:03:00Z: AWS has interrupted an instance of node group spot, announced at 2026-01-01T12:00:00Z';
    expect(statusOf(record).shortages.map(shortageText)).toEqual([said]);
    expect(explainGroup(record, SPOT)?.shortages.map(shortageText)).toEqual([said]);
    expect(explainGroup(record, SPOT)?.notices).toMatchObject([{ node: 'n1' }]);
    const failed = { ...record, notices: [] };
    expect(statusOf(failed).shortages.map(shortageText)).toEqual([
      expect.stringMatching(/AWS had no capacity for it$/),
    ]);
  });
});
