import { describe, expect, it } from 'vitest';
import { explainGroup, knownGroups } from '../../../core/explanation/group.ts';
import type { CloudAction } from '../../../core/model/cloud-action.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { learnedText } from '../../../core/words/unneeded-time.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { group, NOW } from '../../scenario-builders.ts';

async function record(given = {}) {
  const world = eventfulWorld(given);
  await evaluated(world);
  return await clusterRecordOf(world);
}
const explained = async (name: string) => explainGroup(await record(), groupName(name));

describe('a node group', () => {
  it('has its sizes, what a new node is, and its nodes', async () => {
    expect(await explained('web')).toMatchObject({
      min: 1,
      max: 10,
      target: 3,
      healthy: true,
      nodes: { ready: 3 },
      template: { instanceType: 'm5.xlarge', cpu: 4_000 },
      members: ['n1', 'n2', 'n3'],
      skipped: null,
      backoff: null,
    });
  });

  it('that grows has the change that is not carried out yet, and the nodes that are awaited', async () => {
    expect(await explained('web-b')).toMatchObject({
      increase: { from: 0, to: 1 },
      pending: ['0 → 1'],
      request: { increase: 1, since: NOW, expectedBy: addTime(NOW, minutes(15)) },
      lastScaleUp: NOW,
    });
  });

  it('has what the cloud does to it, whichever of the latest decisions knew of it', async () => {
    const known = await record();
    const web = groupName('web');
    const withWarnings = (decision: Decision | null, warnings: readonly CloudAction[]): Decision => {
      const { groups } = decision!.registry;
      const report = { ...groups[web]!, warnings };
      return { ...decision!, registry: { ...decision!.registry, groups: { ...groups, [web]: report } } };
    };
    const told = {
      ...known,
      scaleUp: withWarnings(known.scaleUp, ['CapacityRebalance']),
      scaleDown: withWarnings(known.scaleUp, ['NodeRepair', 'CapacityRebalance']),
    };
    expect(explainGroup(told, web)!.warnings).toEqual(['NodeRepair', 'CapacityRebalance']);
    expect(explainGroup(known, web)!.warnings).toEqual([]);
  });

  it('that cannot grow has the reason without a pod that has asked', async () => {
    const known = await record();
    const { scaleUp } = known;
    const web = groupName('web');
    const nodeGroups = { ...scaleUp!.nodeGroups, [web]: { cannotGrow: { reason: 'LaunchSuspended' as const } } };
    const { skipped } = explainGroup({ ...known, scaleUp: { ...scaleUp!, nodeGroups } }, web)!;
    expect(skipped?.reason).toBe('LaunchSuspended');
  });

  it('that cannot grow has the reason in words', async () => {
    expect((await explained('wrong'))!.skipped).toMatchObject({
      reason: 'Invalid',
      why: expect.stringContaining('expected a number'),
      advice: 'Correct what the message names.',
    });
  });

  it('is in backoff until its time has come', async () => {
    const known = await record();
    const until = addTime(known.now, minutes(1));
    const web = groupName('web');
    const backoff = { [web]: { until, duration: minutes(5), lastFailure: NOW, class: 'Quota' as const } };
    const backedOff = { ...known, state: { ...known.state, backoff } };
    expect(explainGroup(backedOff, web)!.backoff).toMatchObject({ class: 'Quota', why: 'quota exceeded', until });
    expect(explainGroup({ ...backedOff, now: until }, web)!.backoff).toBeNull();
  });

  it('has what scaleDownUnneededTime: auto has learned of it', async () => {
    const known = await record();
    const web = groupName('web');
    expect(explainGroup(known, web)!.unneededTime).toBeNull();
    const learned = { group: web, time: minutes(2), boot: seconds(44), removals: 7, relaunched: 1, watched: [] };
    const learning = { ...known, state: { ...known.state, unneededTimes: [learned] } };
    expect(explainGroup(learning, web)!.unneededTime).toEqual(learned);
    expect(explainGroup(learning, groupName('web-b'))!.unneededTime).toBeNull();
    expect(learnedText(learned)).toBe(
      '2m unneeded, learned; 1 of 7 removals soon followed by a launch; a boot takes 44s',
    );
  });

  it('without a template says why', async () => {
    const known = await record({
      groups: [group('bare', { template: null, templateProblem: 'launch template lt-1 does not exist' })],
    });
    expect(knownGroups(known)).toEqual(['bare']);
    expect(explainGroup(known, groupName('bare'))).toMatchObject({
      template: null,
      skipped: { reason: 'NoTemplate', why: expect.stringContaining('lt-1 does not exist') },
    });
  });

  it('that is not known has no explanation', async () => {
    expect(await explained('constructor')).toBeNull();
  });
});
