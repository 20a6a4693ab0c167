import { describe, expect, it } from 'vitest';
import { CORDONED_ANNOTATION, EXCLUDE_LABEL, REMOVAL_ANNOTATION } from '../../../../core/drain/removal-markers.ts';
import type { DrainPhase } from '../../../../core/model/drain.ts';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { defaultOptions, type Options } from '../../../../core/model/options.ts';
import type { TerminateOutcome } from '../../../../core/model/answers.ts';
import { throwingFor } from '../../isolation/poison.ts';
import {
  after,
  aDrain,
  daemonPod,
  inPhase,
  marksOn,
  NO_ROOM,
  oneNodeWorld,
  type OneNodeWorld,
  step,
  webPod,
} from '../one-node-world.ts';

const failed = { kind: 'failed', code: '403', message: 'may not patch nodes' } as const;

const annotated = (world: OneNodeWorld, key: string, value = 'true'): void => {
  world.node = { ...world.node!, annotations: { ...world.node!.annotations, [key]: value } };
};

describe('marks', () => {
  const marked = (before: Partial<Node>, options: Partial<Options> = {}): Node => {
    const world = oneNodeWorld([], before);
    inPhase('Validating', world, {}, { ...defaultOptions(), ...options });
    return world.node!;
  };

  it('are put on in one change', () => {
    expect(marked({})).toMatchObject({
      taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1767268800', effect: 'NoSchedule' }],
      unschedulable: true,
      labels: { [EXCLUDE_LABEL]: 'outrigger' },
      annotations: { [REMOVAL_ANNOTATION]: '7-web/n1', [CORDONED_ANNOTATION]: 'true' },
    });
  });

  it('are the shared taint by option, and no cordon by option', () => {
    const node = marked({}, { nodeLifecycleTaints: true, cordonNodeBeforeTerminating: false });
    expect(node.taints).toEqual([
      { key: 'node-lifecycle.kubernetes.io/disruption', value: 'disrupting', effect: 'NoSchedule' },
    ]);
    expect(node.unschedulable).toBe(false);
  });

  it.each<[string, Partial<Node>, readonly string[]]>([
    ['nothing', {}, []],
    ['its cordon', { unschedulable: true }, ['cordon']],
    ['its label', { labels: { [EXCLUDE_LABEL]: 'true' } }, ['label']],
    ['its other taints', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }, []],
  ])('come off again, and leave the node %s', (_, before, left) => {
    const world = oneNodeWorld([], before);
    const drain = inPhase('Validating', world);
    annotated(world, 'karpenter.sh/do-not-disrupt');
    const { does, effects, drain: rolling } = step(drain, world, 1);
    expect(does).toEqual(['take marks off']);
    world.perform(effects, () => 'done', after(1));
    expect(marksOn(world.node!)).toEqual(left);
    expect(world.node!.taints.length).toBe(before.taints?.length ?? 0);
    expect(step(rolling, world, 3).drain.phase).toBe('RolledBack');
  });

  it('of another drain are taken over', () => {
    const world = oneNodeWorld();
    inPhase('Validating', world, { id: '3-web/n1' });
    expect(step(aDrain(), world, 0).does).toEqual(['put marks on']);
  });

  it.each([
    ['ToBeDeletedByClusterAutoscaler', '1767268501'],
    ['ToBeDeletedByClusterAutoscaler', ''],
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting'],
  ])('of another component are left alone: %s=%s', (key, value) => {
    const taints = [{ key, value, effect: 'NoSchedule' }];
    const { drain, does } = step(aDrain(), oneNodeWorld([], { taints }), 0);
    expect(does).toEqual([]);
    expect(drain).toMatchObject({ phase: 'RolledBack', outcome: { failure: 'NoLongerRemovable' } });
  });
});

describe('marks of a removal that has come to nothing', () => {
  const left = { key: 'ToBeDeletedByClusterAutoscaler', value: '1767268500', effect: 'NoSchedule' };

  it('are taken over five minutes later, whichever component left them', () => {
    const world = oneNodeWorld([], { taints: [left] });
    const { does, effects, drain } = step(aDrain(), world, 0);
    expect(does).toEqual(['put marks on']);
    world.perform(effects, () => 'done', after(0));
    expect(world.node!.taints).toEqual([{ ...left, value: '1767268800' }]);
    expect(step(drain, world, 2).drain.phase).toBe('Validating');
  });
});

describe('tainting', () => {
  it('is given up after a minute, with the reason', () => {
    const world = oneNodeWorld();
    const early = step(aDrain(), world, 59, { changeNode: failed });
    expect(early.does).toEqual(['put marks on']);
    const { drain } = step(early.drain, world, 60, { changeNode: failed });
    expect(drain.outcome).toMatchObject({
      failure: 'FailedToMarkToBeDeleted',
      message: '403: may not patch nodes',
    });
  });

  it('that was not answered may still come, and is waited for before the drain ends', () => {
    const world = oneNodeWorld();
    const asked = step(aDrain(), world, 55);
    const rolling = step(asked.drain, world, 66);
    expect(rolling.drain).toMatchObject({ phase: 'RollingBack', waitingFor: 'the taint may still be on its way' });
    expect(step(rolling.drain, world, 114).drain.phase).toBe('RollingBack');
    expect(step(rolling.drain, world, 115).drain.phase).toBe('RolledBack');
  });
});

/** What may have changed since the decision. */
const CHANGES: readonly (readonly [string, (world: OneNodeWorld) => void, string, string | RegExp])[] = [
  ['the node is gone', (world) => (world.node = null), 'Gone', 'the node is gone'],
  ['another node has its name', (world) => (world.node = { ...world.node!, uid: 'x' }), 'Gone', 'the node is gone'],
  ['the instance is being ended', (world) => (world.instance = 'ending'), 'Gone', 'its instance is terminating'],
  ['the instance has left', (world) => (world.instance = 'gone'), 'Gone', 'its instance is not in its node group'],
  [
    'the group is at its minimum',
    (world) => (world.min = 3),
    'NoLongerRemovable',
    'node group web is at its minimum of 3',
  ],
  [
    'scale-down is disabled for the node',
    (world) => annotated(world, 'cluster-autoscaler.kubernetes.io/scale-down-disabled'),
    'NoLongerRemovable',
    /scale-down-disabled/,
  ],
  [
    'the node is not to be disrupted',
    (world) => annotated(world, 'node-lifecycle.kubernetes.io/do-not-disrupt'),
    'NoLongerRemovable',
    /do-not-disrupt/,
  ],
  ['the taint was removed', (world) => (world.node = { ...world.node!, taints: [] }), 'NoLongerRemovable', /taken off/],
  [
    'a pod cannot be read',
    (world) => world.unreadable.push('Pod default/odd'),
    'NoLongerRemovable',
    'a pod on it cannot be read: Pod default/odd',
  ],
  [
    'a pod without a controller has come',
    (world) => world.pods.push({ ...webPod('bare'), controller: null }),
    'NoLongerRemovable',
    /^NotReplicated: /,
  ],
  [
    'a pod is to be waited for',
    (world) =>
      world.pods.push(
        webPod('batch', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' } }),
      ),
    'NoLongerRemovable',
    'the node must wait until it has completed',
  ],
  [
    'a pod is not to be evicted',
    (world) =>
      world.pods.push(webPod('db', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } })),
    'NoLongerRemovable',
    /^NotSafeToEvictAnnotation: /,
  ],
  [
    'a pod of a DaemonSet is not to be disrupted',
    (world) => world.pods.push(daemonPod('agent-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })),
    'NoLongerRemovable',
    /^DoNotDisrupt: /,
  ],
  [
    'a budget is used up',
    (world) => {
      world.pods.push(webPod('web-1', { labels: { app: 'web' } }));
      world.budgets.push(NO_ROOM);
    },
    'NoLongerRemovable',
    /^NotEnoughPdb: /,
  ],
];

describe('the second check', () => {
  it('comes when the scheduler has had time to see the taint', () => {
    const world = oneNodeWorld();
    const drain = inPhase('Validating', world);
    expect(step(drain, world, 2)).toMatchObject({ does: [], waits: 3 });
    expect(step(drain, world, 5).does).toEqual(['terminate i-1']);
  });

  it.each(CHANGES)('finds that %s', (_, change, failure, message) => {
    const world = oneNodeWorld();
    const drain = inPhase('Validating', world);
    change(world);
    const { outcome } = step(drain, world, 5).drain;
    expect(outcome).toMatchObject({ kind: 'rolledBack', failure });
    expect((outcome as { readonly message: string }).message).toMatch(message);
  });

  it('finds a pod on a node that was to go as an empty one', () => {
    const world = oneNodeWorld([webPod('web-1')]);
    const drain = inPhase('Validating', world, { kind: 'empty' });
    expect(step(drain, world, 5).drain.outcome).toMatchObject({
      failure: 'NoLongerRemovable',
      blocker: 'PodArrived',
      pod: 'default/web-1',
      message: 'it is on the node by now',
    });
  });

  it('is not made without the cloud, and not waited for longer than two minutes', () => {
    const world = oneNodeWorld();
    const drain = inPhase('Validating', world);
    world.cloudAnswers = false;
    expect(step(drain, world, 124).drain.phase).toBe('Validating');
    expect(step(drain, world, 125).drain.outcome).toMatchObject({ failure: 'InternalError' });
  });
});

describe('a decision of long ago', () => {
  const outcomeAt = (phase: DrainPhase, age: number, options: Partial<Options> = {}) => {
    const world = oneNodeWorld([webPod('web-1')]);
    const drain =
      phase === 'Tainting'
        ? aDrain('drain', { phaseSince: after(age) })
        : inPhase(phase, world, { phaseSince: after(age) });
    return step(drain, world, age, {}, options).drain.outcome;
  };
  const TOO_OLD = {
    failure: 'NoLongerRemovable',
    message: 'it was decided 5m6s ago, and the node may be needed by now',
  };

  it.each<DrainPhase>(['Tainting', 'Validating'])('is not followed any more while %s', (phase) => {
    expect(outcomeAt(phase, 305)).toBeNull();
    expect(outcomeAt(phase, 306)).toMatchObject(TOO_OLD);
  });

  it('is followed when the scheduler was to be given that time', () => {
    expect(
      outcomeAt('Validating', 306, { nodeDeleteDelayAfterTaint: 6_000 as Options['nodeDeleteDelayAfterTaint'] }),
    ).toBeNull();
  });

  it('is followed to the end when pods have been evicted for it', () => {
    expect(outcomeAt('Evicting', 3_600)).toBeNull();
  });
});

describe('the last check', () => {
  it.each(CHANGES)('finds that %s', (_, change, failure) => {
    const world = oneNodeWorld();
    const drain = inPhase('Terminating', world);
    change(world);
    const { does, drain: after } = step(drain, world, 1);
    expect(does).not.toContain('terminate i-1');
    expect(after.outcome).toMatchObject({ kind: 'rolledBack', failure });
  });

  it('finds any pod that would have to move', () => {
    const world = oneNodeWorld([webPod('web-1')]);
    expect(step(inPhase('Terminating', world), world, 1).drain.outcome).toMatchObject({ pod: 'default/web-1' });
  });

  it('comes after the last stage of the shared taint', () => {
    const world = oneNodeWorld();
    const options = { nodeLifecycleTaints: true };
    const drain = inPhase('Terminating', world, {}, { ...defaultOptions(), ...options });
    const first = step(drain, world, 0, {}, options);
    expect(first.does).toEqual(['put marks on']);
    expect(step(first.drain, world, 1, {}, options).does).toEqual(['put marks on']);
    const last = { key: 'node-lifecycle.kubernetes.io/disruption', value: 'disrupting', effect: 'NoExecute' };
    world.node = { ...world.node!, taints: [...world.node!.taints, last] };
    expect(step(first.drain, world, 1, {}, options).does).toEqual(['terminate i-1']);
  });
});

describe('expendable pods', () => {
  const expendable = webPod('filler', { spec: { priority: -11 }, controller: null });

  it.each(['empty', 'drain'] as const)('keep nothing, of a node that goes as %s', (kind) => {
    const world = oneNodeWorld([expendable]);
    const { does } = step(inPhase('Validating', world, { kind }), world, 5);
    expect(does).toEqual(['terminate i-1']);
  });

  it('are those below the cutoff', () => {
    const world = oneNodeWorld([expendable]);
    const { drain } = step(inPhase('Validating', world), world, 5, {}, { expendablePodsPriorityCutoff: -11 });
    expect(drain.outcome).toMatchObject({ pod: 'default/filler', failure: 'NoLongerRemovable' });
  });
});

describe('delays', () => {
  const DELAY = 'delay-deletion.cluster-autoscaler.kubernetes.io/backup';

  it.each<[string, number, Partial<Options>, DrainPhase]>([
    ['are waited for', 119, {}, 'DeletionDelay'],
    ['are over after nodeDeletionDelayTimeout', 120, {}, 'Terminating'],
    [
      'are as long as the option says',
      119,
      { nodeDeletionDelayTimeout: 60_000 as Options['nodeDeletionDelayTimeout'] },
      'Terminating',
    ],
  ])('%s', (_, time, options, phase) => {
    const world = oneNodeWorld();
    const drain = inPhase('DeletionDelay', world);
    annotated(world, DELAY, '');
    expect(step(drain, world, time, {}, options).drain.phase).toBe(phase);
  });

  it('end with their annotation', () => {
    const world = oneNodeWorld();
    expect(step(inPhase('DeletionDelay', world), world, 1).does).toEqual(['terminate i-1']);
  });
});

describe('the end of an instance', () => {
  const asked = () => {
    const world = oneNodeWorld();
    return { world, drain: inPhase('Terminating', world, { terminateAskedAt: after(0) }) };
  };
  const no = (failure: 'Throttled' | 'Authorization' | 'Other' | 'Timeout'): TerminateOutcome => ({
    kind: 'failed',
    class: failure,
    code: failure,
    message: 'no',
  });

  it.each<[string, TerminateOutcome | null, OneNodeWorld['instance'], DrainPhase]>([
    ['that was agreed to is verified', { kind: 'terminated' }, 'in group', 'AwaitingTermination'],
    ['that was agreed to, and is seen, is done', { kind: 'terminated' }, 'ending', 'Removed'],
    ['of one that had ended before is done', { kind: 'gone' }, 'gone', 'Removed'],
    ['that was not answered at all, and is seen, is done', null, 'ending', 'Removed'],
    ['that was not answered at all is looked up', null, 'in group', 'Terminating'],
    ['that has met an error of the cloud is looked up', no('Other'), 'in group', 'Terminating'],
    ['that has met an error of the cloud, and is seen, is done', no('Other'), 'ending', 'Removed'],
    ['that was not answered in time is looked up', no('Timeout'), 'in group', 'Terminating'],
    ['that was not answered in time, and is seen, is done', no('Timeout'), 'ending', 'Removed'],
    ['that was refused is given up', no('Authorization'), 'in group', 'RollingBack'],
    ['that was throttled is tried again', no('Throttled'), 'in group', 'Terminating'],
  ])('%s', (_, terminate, instance, phase) => {
    const { world, drain } = asked();
    world.instance = instance;
    const { does, drain: next } = step(drain, world, 1, { terminate });
    expect(next.phase).toBe(phase);
    expect(does).not.toContain('terminate i-1');
  });

  it('that was agreed to is done when the cloud says so, or has said nothing for long', () => {
    const { world } = asked();
    const drain = { ...inPhase('AwaitingTermination', world), terminateAskedAt: after(0) };
    world.cloudAnswers = false;
    expect(step(drain, world, 0).drain.phase).toBe('AwaitingTermination');
    expect(step(drain, world, 299).drain.phase).toBe('AwaitingTermination');
    expect(step(drain, world, 300).drain.phase).toBe('Removed');
    world.cloudAnswers = true;
    world.instance = 'ending';
    expect(step(drain, world, 1).drain.phase).toBe('Removed');
  });

  it('that was not answered is requested again when the first request can no longer take effect', () => {
    const { world, drain } = asked();
    expect(step(drain, world, 59).does).toEqual([]);
    expect(step(drain, world, 60).does).toEqual(['terminate i-1']);
  });

  it('is not undone while it may still come, whatever has changed', () => {
    const { world, drain } = asked();
    world.pods.push(webPod('web-1'));
    annotated(world, 'karpenter.sh/do-not-disrupt');
    expect(step(drain, world, 59).drain.phase).toBe('Terminating');
    expect(step(drain, world, 60).drain.phase).toBe('RollingBack');
  });

  it('is given up after five minutes of throttling', () => {
    const { world, drain } = asked();
    expect(step(drain, world, 299, { terminate: no('Throttled') }).drain.phase).toBe('Terminating');
    expect(step(drain, world, 300, { terminate: no('Throttled') }).drain.outcome).toMatchObject({
      failure: 'FailedToDelete',
      message: 'Throttled: no',
    });
  });

  it('that was agreed to and never comes leaves the node in service', () => {
    const world = oneNodeWorld();
    const drain = inPhase('AwaitingTermination', world, { terminateAskedAt: after(0) });
    expect(step(drain, world, 299).drain.phase).toBe('AwaitingTermination');
    expect(step(drain, world, 300)).toMatchObject({
      does: ['take marks off'],
      drain: { outcome: { failure: 'FailedToDelete' } },
    });
  });
});

describe('rolling back', () => {
  it('goes on until the node is clean', () => {
    const world = oneNodeWorld();
    const drain = inPhase('RollingBack', world, {
      outcome: { kind: 'rolledBack', at: after(0), failure: 'Gone', blocker: 'NodeGone', message: '', pod: null },
    });
    for (const time of [10, 1_000, 100_000]) {
      expect(step(drain, world, time, { changeNode: failed })).toMatchObject({
        does: ['take marks off'],
        drain: { phase: 'RollingBack', waitingFor: '403: may not patch nodes' },
      });
    }
  });

  it('leaves a node marked whose instance is about to end', () => {
    const world = oneNodeWorld();
    const drain = inPhase('Validating', world);
    world.instance = 'ending';
    expect(step(drain, world, 1)).toMatchObject({
      does: [],
      drain: { phase: 'RolledBack', outcome: { failure: 'Gone' } },
    });
  });
});

describe('a drain rule that throws', () => {
  it.each<DrainPhase>(['Validating', 'Evicting'])(
    'has the drain taken back, with the rule as its reason: %s',
    (phase) => {
      const world = oneNodeWorld([webPod('odd', { annotations: throwingFor('karpenter.sh/do-not-disrupt') })]);
      const { drain, does } = step(inPhase(phase, world), world, 60);
      expect(does).toEqual(['take marks off']);
      expect(drain).toMatchObject({ phase: 'RollingBack' });
      expect(JSON.stringify(drain.outcome)).toContain('drain rule doNotDisrupt failed: RangeError');
    },
  );
});
