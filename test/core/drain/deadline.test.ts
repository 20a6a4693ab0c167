import { describe, expect, it } from 'vitest';
import { advanceDrain } from '../../../core/drain/advance.ts';
import { NO_RESULTS } from '../../../core/drain/effects.ts';
import type { Drain, DrainNotice } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { NOW } from '../../scenario-builders.ts';
import { claimVolumes, node } from '../../builders.ts';
import { after, aDrain, daemonPod, inPhase, NODE, NO_ROOM, oneNodeWorld, step, webPod } from './one-node-world.ts';

const NOTICE: DrainNotice = { kind: 'SpotInterruption', deadline: after(120), hook: null };
const HOOK: DrainNotice = {
  kind: 'LifecycleHook',
  deadline: after(900),
  hook: { name: 'outrigger', token: 't', heartbeatUntil: null },
};
const PROTECTED = { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' };
const KEPT = { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } };

const EVERYTHING = { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null } as const;

const evicting = (world: ReturnType<typeof oneNodeWorld>, notice = NOTICE, extra: Partial<Drain> = {}) =>
  inPhase('Evicting', world, { notice, ...extra });

describe('a drain for a notice', () => {
  it('taints at once, and evicts in the step that sees the taint', () => {
    const world = oneNodeWorld([webPod('a'), webPod('b')], { annotations: PROTECTED });
    const drain = aDrain('drain', { notice: NOTICE });
    const tainting = step(drain, world, 0);
    expect(tainting.does).toEqual(['put marks on']);
    world.perform(tainting.effects, () => 'done', after(0));
    expect(step(tainting.drain, world, 2).does).toEqual(['evict a', 'evict b']);
  });

  it('asks pods of every rank at once, and leaves DaemonSets to the end of the instance', () => {
    const world = oneNodeWorld([
      webPod('a'),
      webPod('critical', { spec: { priority: 2_000_000_000 } }),
      daemonPod('agent'),
    ]);
    expect(step(evicting(world), world, 1).does).toEqual(['evict a', 'evict critical']);
  });

  it('cuts grace periods to the time that is left, also of pods that a budget has held', () => {
    const world = oneNodeWorld([webPod('a', { spec: { terminationGracePeriodSeconds: 300 } })]);
    world.budgets = [NO_ROOM];
    const first = step(evicting(world), world, 20);
    expect(first.does).toEqual(['evict a (100)']);
    const { uid } = world.pods[0]!;
    const refused = { evictions: { [uid]: { kind: 'refused', message: 'budget', retryAfterSeconds: null } as const } };
    const second = step(first.drain, world, 21, refused);
    expect(second).toMatchObject({ does: [], drain: { phase: 'Evicting' } });
    expect(step(second.drain, world, 60).does).toEqual(['evict a (60)']);
  });

  it('asks a pod that must not be evicted as late as its grace period allows', () => {
    const world = oneNodeWorld([webPod('a', KEPT)]);
    const early = step(evicting(world), world, 59);
    expect(early).toMatchObject({ does: [], drain: { phase: 'Evicting' } });
    expect(step(early.drain, world, 60).does).toEqual(['evict a']);
  });

  it('ends the instance at the deadline, whatever is left on it', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.budgets = [NO_ROOM];
    const drain = evicting(world);
    expect(step(drain, world, 119).drain.phase).toBe('Evicting');
    expect(step(drain, world, 120)).toMatchObject({
      does: ['terminate i-1'],
      drain: { phase: 'Terminating', terminateAskedAt: after(120) },
    });
  });

  it('does not end the instance under a pod that cannot be read before the deadline', () => {
    const world = oneNodeWorld([webPod('a')]);
    const problem = 'Pod default/odd: spec.containers[0].resources.requests.cpu: expected a quantity, found 4 cores';
    world.unreadable = [problem];
    const asking = step(evicting(world), world, 1);
    expect(asking.does).toEqual(['evict a']);
    world.pods = [];
    const waiting = step(asking.drain, world, 20);
    expect(waiting).toMatchObject({
      does: [],
      drain: { phase: 'Evicting', waitingFor: `a pod on it cannot be read: ${problem}` },
    });
    expect(step(waiting.drain, world, 118.5)).toMatchObject({ waits: 1.5, drain: { phase: 'Evicting' } });
    expect(step(waiting.drain, world, 120).does).toEqual(['terminate i-1']);
    world.unreadable = ['ReplicaSet default/web: metadata.uid: expected a string, found 1'];
    expect(step(waiting.drain, world, 60).does).toEqual(['terminate i-1']);
  });

  it('does not take a pod that it has asked in vain for gone when it cannot be read any more', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.budgets = [NO_ROOM];
    const asking = step(evicting(world), world, 1);
    world.pods = [];
    world.unreadable = ['Pod default/a: spec.containers[0].resources.requests.cpu: expected a quantity, found 4 cores'];
    const waiting = step(asking.drain, world, 20);
    expect(waiting.drain.evictions).toMatchObject([{ pod: 'default/a', evictedAt: null, goneAt: null }]);
    world.unreadable = ['Pod default/a-2: spec: expected an object, found nothing'];
    expect(step(waiting.drain, world, 30).drain.evictions).toMatchObject([{ evictedAt: expect.anything() as unknown }]);
  });

  it.each(['Evicting', 'Terminating'] as const)('marks the node again whose markers were removed while %s', (phase) => {
    const world = oneNodeWorld([webPod('a')]);
    const drain = inPhase(phase, world, { notice: NOTICE });
    world.node = node(NODE);
    const marking = step(drain, world, 5);
    expect(marking).toMatchObject({ does: ['put marks on'], drain: { phase: 'Tainting', outcome: null } });
    world.perform(marking.effects, () => 'done', after(5));
    expect(step(marking.drain, world, 7)).toMatchObject({ does: ['evict a'], drain: { phase: 'Evicting' } });
  });

  it('evicts pods that came in place of evicted ones while the markers were off', () => {
    const world = oneNodeWorld([webPod('a')]);
    const asked = step(evicting(world), world, 0);
    const { uid } = world.pods[0]!;
    [world.node, world.pods] = [node(NODE), [webPod('again', { createdAt: after(3) })]];
    const marking = step(asked.drain, world, 5, { evictions: { [uid]: { kind: 'done' } } });
    world.perform(marking.effects, () => 'done', after(5));
    const evictingAgain = step(marking.drain, world, 7);
    expect(evictingAgain.does).toEqual(['evict again']);
    world.pods = [webPod('third', { createdAt: after(9) })];
    expect(step(evictingAgain.drain, world, 10).does).toEqual(['terminate i-1']);
  });

  it('waits for volumes from the time that the pods were gone, though the node was marked again since', () => {
    const world = oneNodeWorld([webPod('db', { spec: { volumes: claimVolumes('data') } })]);
    const asked = step(evicting(world, HOOK), world, 0);
    const db = world.pods[0]!;
    [world.pods, world.attached] = [[], ['pv-1']];
    const waiting = step(asked.drain, world, 5, { evictions: { [db.uid]: { kind: 'done' } } });
    const marked = world.node;
    world.node = node(NODE);
    const marking = step(waiting.drain, world, 100);
    world.node = marked;
    const again = step(marking.drain, world, 102);
    expect(again).toMatchObject({ drain: { phase: 'Evicting', waitingFor: 'volume pv-1 is still attached' } });
    expect(step(again.drain, world, 126)).toMatchObject({ drain: { phase: 'Terminating' } });
  });

  it('waits for nothing beyond the deadline', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.budgets = [NO_ROOM];
    expect(step(evicting(world), world, 118.5).waits).toBe(1.5);
  });

  it('has the instance replaced where the group is at its minimum', () => {
    const world = oneNodeWorld();
    world.min = world.target;
    expect(step(inPhase('Terminating', world, { notice: NOTICE }), world, 1).does).toEqual([
      'terminate i-1, to be replaced',
    ]);
  });

  it('evicts pods that came while the termination was refused, while there is time', () => {
    const world = oneNodeWorld([webPod('late', { spec: { tolerations: [EVERYTHING] } })]);
    const drain = inPhase('Terminating', world, { notice: NOTICE });
    expect(step(drain, world, 60)).toMatchObject({ does: ['evict late'], drain: { phase: 'Evicting' } });
    expect(step(drain, world, 120).does).toEqual(['terminate i-1']);
  });

  it('does not end an instance before its time under a pod that has come and cannot be read', () => {
    const world = oneNodeWorld();
    world.unreadable.push('Pod default/odd');
    const drain = inPhase('Terminating', world, { notice: NOTICE });
    expect(step(drain, world, 60)).toMatchObject({ does: [], drain: { phase: 'Evicting' } });
    expect(step(drain, world, 120).does).toEqual(['terminate i-1']);
  });

  it('is done where the cloud has begun to end the instance itself', () => {
    const world = oneNodeWorld();
    world.instance = 'ending';
    expect(step(inPhase('Terminating', world, { notice: NOTICE }), world, 1)).toMatchObject({
      does: [],
      drain: { phase: 'Removed', outcome: { kind: 'removed' } },
    });
  });

  it('is given up where the instance is gone, and undoes nothing else', () => {
    const world = oneNodeWorld();
    world.instance = 'gone';
    expect(step(inPhase('Terminating', world, { notice: NOTICE }), world, 1).drain).toMatchObject({
      phase: 'RollingBack',
      outcome: { failure: 'Gone' },
    });
  });
});

describe('a drain for a lifecycle hook', () => {
  it('keeps the hook waiting by heartbeats, and completes it in place of a termination', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.instance = 'ending';
    world.budgets = [NO_ROOM];
    const first = step(evicting(world, HOOK), world, 1);
    expect(first.does).toEqual(['heartbeat outrigger of i-1', 'evict a']);
    expect(step(first.drain, world, 2).does).toEqual([]);
    const second = step(first.drain, world, 21);
    expect(second.does).toEqual(['heartbeat outrigger of i-1', 'evict a']);
    world.pods = [];
    const completing = step(second.drain, world, 22);
    expect(completing.does).toEqual(['completeHook outrigger of i-1']);
    const answered = step(completing.drain, world, 24, { terminate: { kind: 'terminated' } });
    expect(answered.drain).toMatchObject({ phase: 'Removed', outcome: { kind: 'removed' } });
  });

  it('does not take the instance for ended before the hook is answered', () => {
    const world = oneNodeWorld();
    world.instance = 'ending';
    const asked = step(inPhase('Terminating', world, { notice: HOOK }), world, 1);
    expect(asked.does).toEqual(['completeHook outrigger of i-1']);
    expect(step(asked.drain, world, 2).drain.phase).toBe('Terminating');
    // Not answered in a minute: asked again.
    expect(step(asked.drain, world, 62).does).toEqual(['completeHook outrigger of i-1']);
  });
});

describe('a drain for a hook of an instance without a node', () => {
  const alone = aDrain('empty', { notice: HOOK, node: nodeName('i-1'), nodeUid: '' });

  it('completes the hook as soon as the cloud has said that the instance waits', () => {
    const world = oneNodeWorld();
    world.node = null;
    world.instance = 'ending';
    const completing = step(alone, world, 0);
    expect(completing.does).toEqual(['completeHook outrigger of i-1']);
    expect(step(completing.drain, world, 1, { terminate: { kind: 'terminated' } }).drain).toMatchObject({
      phase: 'Removed',
    });
  });

  it('says nothing of it in the cluster, where there is no node to say it of', () => {
    const world = oneNodeWorld();
    world.node = null;
    world.instance = 'gone';
    const given = advanceDrain(alone, world.observe(NO_RESULTS), NOW, defaultOptions());
    expect(given.drain.phase).toBe('RolledBack');
    expect(given.effects).toEqual([]);
  });

  it('goes on where the node is deleted meanwhile', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.instance = 'ending';
    world.budgets = [NO_ROOM];
    const first = step(evicting(world, HOOK), world, 1);
    world.node = null;
    expect(step(first.drain, world, 3).does).toEqual(['completeHook outrigger of i-1']);
  });

  it('leaves the pods of another node alone that has the name by now', () => {
    const world = oneNodeWorld([webPod('a')]);
    world.instance = 'ending';
    world.budgets = [NO_ROOM];
    const first = step(evicting(world, HOOK), world, 1);
    world.node = node(NODE, {}, { uid: 'uid-of-another' });
    world.pods = [webPod('b')];
    world.unreadable = ['Pod default/odd: spec: expected an object, found nothing'];
    expect(step(first.drain, world, 3).does).toEqual(['completeHook outrigger of i-1']);
  });
});

describe('a drain for a rebalance recommendation', () => {
  const REBALANCE: DrainNotice = { kind: 'RebalanceRecommendation', deadline: after(60), hook: null };

  it('is held up by what holds up any other: nothing ends the instance', () => {
    const kept = oneNodeWorld([], { annotations: PROTECTED });
    expect(step(aDrain('drain', { notice: REBALANCE }), kept, 0).drain.phase).toBe('RolledBack');
    const world = oneNodeWorld([webPod('a', KEPT)]);
    expect(step(inPhase('Validating', world, { notice: REBALANCE }), world, 5).drain.phase).toBe('RollingBack');
  });

  it('respects a budget after its deadline as well, and does not cut grace periods', () => {
    const world = oneNodeWorld([webPod('a', { spec: { terminationGracePeriodSeconds: 300 } })]);
    const asking = step(evicting(world, REBALANCE), world, 61);
    expect(asking).toMatchObject({ does: ['evict a'], drain: { phase: 'Evicting' } });
  });

  it('has the instance replaced where the group is at its minimum', () => {
    const world = oneNodeWorld();
    world.min = world.target;
    expect(step(inPhase('Validating', world, { notice: REBALANCE }), world, 5).drain.phase).toBe('Terminating');
    expect(step(inPhase('Terminating', world, { notice: REBALANCE }), world, 1).does).toEqual([
      'terminate i-1, to be replaced',
    ]);
  });
});
