import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import {
  type FailureClass,
  type Instance,
  type LaunchFailure,
  launchFailureId,
} from '../../../core/model/node-group.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { ScaleUpRequest, State } from '../../../core/model/state.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { group, type GroupGiven, NOW, scaleUpRequest, scenario, times } from '../../scenario-builders.ts';

const waiting = times(3, (i) => pod(`p${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/p' }));
const A = groupName('a');

const asked: ScaleUpRequest = scaleUpRequest(A, 3, epochMs(NOW - 5_000));

const failure = (n: number, of: FailureClass): LaunchFailure => ({
  id: launchFailureId(A, n),
  zone: 'us-east-1a',
  class: of,
  code: 'x',
  message: '',
});

/** Three pods for which group `a` was asked for three nodes; `b` could hold them too. */
const afterAsking = (
  { instances = [], launchFailures = [] }: Pick<GroupGiven, 'instances' | 'launchFailures'>,
  state: Partial<State> = {},
  target = 3,
): Scenario =>
  scenario({
    groups: [group('a', { target, instances, launchFailures }), group('b')],
    pods: waiting,
    state: { scaleUpRequests: [asked], ...state },
  });

const summary = ({ scaleUp, registry, state }: ReturnType<typeof evaluate>) => ({
  increases: scaleUp.increases.map(({ group: name, from, to }) => `${name} ${from} → ${to}`),
  repairs: registry.repairs.map(({ kind, group: name }) => `${kind} ${name}`),
  open: state.scaleUpRequests.map(({ group: name, increase }) => `${name} +${increase}`),
  backedOff: Object.keys(state.backoff),
});

describe('pods that wait for a scale-up', () => {
  test('wait while nothing is known of it', () => {
    expect(summary(evaluate(afterAsking({})))).toEqual({ increases: [], repairs: [], open: ['a +3'], backedOff: [] });
  });

  test('get nodes of another group in the very evaluation that learns of its failure', () => {
    expect(summary(evaluate(afterAsking({ launchFailures: times(3, (n) => failure(n, 'OutOfResources')) })))).toEqual({
      increases: ['b 0 → 3'],
      repairs: ['DeleteErrored a', 'DeleteErrored a', 'DeleteErrored a'],
      open: ['b +3'],
      backedOff: ['a'],
    });
  });

  test('get as many elsewhere as have failed, the others still come', () => {
    const started: Instance = { id: instanceId('i-1'), node: null, zone: null, state: 'Creating', error: null };
    const launchFailures = [failure(0, 'Quota'), failure(1, 'Quota')];
    expect(summary(evaluate(afterAsking({ instances: [started], launchFailures })))).toEqual({
      increases: ['b 0 → 2'],
      repairs: ['DeleteErrored a', 'DeleteErrored a'],
      open: ['a +1', 'b +2'],
      backedOff: ['a'],
    });
  });

  test('get nodes of another group when the time is over', () => {
    const late = { ...asked, expectedAddTime: epochMs(NOW - 1) };
    expect(summary(evaluate(afterAsking({}, { scaleUpRequests: [late] })))).toEqual({
      increases: ['b 0 → 3'],
      repairs: ['DecreaseTarget a'],
      open: ['b +3'],
      backedOff: ['a'],
    });
  });

  test('are not asked for twice by the evaluation after that', () => {
    const first = evaluate(afterAsking({ launchFailures: times(3, (n) => failure(n, 'OutOfResources')) }));
    const second = evaluate(
      scenario({ groups: [group('a'), group('b', { target: 3 })], pods: waiting, state: first.state }),
    );
    expect(summary(second)).toEqual({ increases: [], repairs: [], open: ['b +3'], backedOff: ['a'] });
  });
});

describe('a group that is repaired', () => {
  test('grows from the size that its repair leaves', () => {
    const stuck = { a: { current: 0, expected: 2, firstObserved: epochMs(NOW - 16 * 60_000) } };
    const { scaleUp, registry } = evaluate(
      scenario({ groups: [group('a', { target: 2 })], pods: waiting, state: { incorrectSize: stuck } }),
    );
    expect(registry.repairs).toEqual([{ kind: 'DecreaseTarget', group: 'a', from: 2, to: 0 }]);
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 3 }]);
  });
});
