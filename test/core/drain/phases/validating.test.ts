import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { DrainPhase } from '../../../../core/model/drain.ts';
import { throwingFor } from '../../model/isolation/poison.ts';
import { inPhase, oneNodeWorld, step, webPod } from '../one-node-world.ts';
import { CHANGES } from './changes.ts';

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

it('does not mind a pod that has run to its end, and whose Job is gone', () => {
  const controller = { apiVersion: 'batch/v1', kind: 'Job', name: 'once', uid: 'once' };
  const once = webPod('once-1', { controller });
  const after = (phase: Pod['phase']) => {
    const world = oneNodeWorld([{ ...once, phase }]);
    return step(inPhase('Validating', world), world, 5);
  };
  expect(after('Running').drain.outcome).toMatchObject({ pod: 'default/once-1', failure: 'NoLongerRemovable' });
  expect(after('Succeeded').does).toEqual(['terminate i-1']);
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
