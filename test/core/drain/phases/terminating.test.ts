import { describe, expect, it } from 'vitest';
import type { DrainPhase } from '../../../../core/model/drain.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { TerminateOutcome } from '../../../../core/model/answers.ts';
import { after, inPhase, oneNodeWorld, type OneNodeWorld, step, webPod } from '../one-node-world.ts';
import { annotated, CHANGES } from './changes.ts';

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
    ['of one that was taken out of its group is given up', { kind: 'gone' }, 'aside', 'RollingBack'],
    ['that was not answered at all, of one that was taken out, is looked up', null, 'aside', 'Terminating'],
    [
      'that was agreed to, of one that was taken out, is verified',
      { kind: 'terminated' },
      'aside',
      'AwaitingTermination',
    ],
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

  it('that was not answered of an instance in Standby is given up when the request can no longer take effect', () => {
    const { world, drain } = asked();
    world.instance = 'aside';
    expect(step(drain, world, 59).drain.phase).toBe('Terminating');
    expect(step(drain, world, 60)).toMatchObject({ does: ['take marks off'], drain: { phase: 'RollingBack' } });
  });

  it('is given up after five minutes of throttling', () => {
    const { world, drain } = asked();
    expect(step(drain, world, 299, { terminate: no('Throttled') }).drain.phase).toBe('Terminating');
    expect(step(drain, world, 300, { terminate: no('Throttled') }).drain.outcome).toMatchObject({
      failure: 'FailedToDelete',
      message: 'Throttled: no',
    });
  });
});
