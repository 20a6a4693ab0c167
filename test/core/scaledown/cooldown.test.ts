import { describe, expect, test } from 'vitest';
import type { Options } from '../../../core/model/options.ts';
import type { GroupTimes, State } from '../../../core/model/state.ts';
import { minutes, seconds } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { ago, decide, goes, workerNode, stays } from './cluster.ts';

const times = (given: Partial<GroupTimes>): GroupTimes => ({
  lastScaleUp: null,
  lastScaleDownDelete: null,
  lastScaleDownFailure: null,
  ...given,
});

describe('cool-downs (isScaleDownInCooldown)', () => {
  type Row = readonly [what: string, state: Partial<GroupTimes>, options: Partial<Options>, message: string | null];
  const rows: readonly Row[] = [
    ['nothing happened', {}, {}, null],
    ['a scale-up a while ago', { lastScaleUp: ago(3) }, {}, 'scaleDownDelayAfterAdd: 7m of 10m are left'],
    ['to the end', { lastScaleUp: ago(9.99) }, {}, 'scaleDownDelayAfterAdd: 0.6s of 10m are left'],
    ['not longer', { lastScaleUp: ago(10) }, {}, null],
    ['a shorter delay', { lastScaleUp: ago(3) }, { scaleDownDelayAfterAdd: minutes(3) }, null],
    ['a failure a while ago', { lastScaleDownFailure: ago(1) }, {}, 'scaleDownDelayAfterFailure: 2m of 3m are left'],
    ['a failure long ago', { lastScaleDownFailure: ago(3) }, {}, null],
    ['a removal, without a delay', { lastScaleDownDelete: NOW }, {}, null],
    ['a removal by a clock that is ahead, without a delay', { lastScaleDownDelete: ago(-5) }, {}, null],
    ['a failure by such', { lastScaleDownFailure: ago(-5) }, {}, 'scaleDownDelayAfterFailure: 3m of 3m are left'],
    [
      'a removal, with a delay',
      { lastScaleDownDelete: ago(1) },
      { scaleDownDelayAfterDelete: seconds(90) },
      'scaleDownDelayAfterDelete: 30s of 1m30s are left',
    ],
    [
      'several: the first is told',
      { lastScaleUp: ago(1), lastScaleDownFailure: ago(1) },
      {},
      'scaleDownDelayAfterAdd: 9m of 10m are left',
    ],
  ];

  test.each(rows)('of the whole cluster: %s', (_, state, options, message) => {
    const decision = decide({ nodes: [workerNode('n1')], options, state });
    expect(decision.scaleDown).toMatchObject({ result: message === null ? 'Planned' : 'Cooldown', message });
    expect(goes(decision)).toEqual(message === null ? ['n1'] : []);
    expect(decision.scaleDown.unneeded).toEqual(['n1']);
  });

  test.each(rows)('of a group: %s', (_, state, options, message) => {
    const [web, other] = [group('web', { nodes: ['n1'] }), group('other', { nodes: ['n2'] })];
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2')],
      groups: [web, other],
      options: { ...options, scaleDownDelayTypeLocal: true },
      state: { groups: { [web.name]: times(state) } },
    });
    expect(goes(decision)).toEqual(message === null ? ['n1', 'n2'] : ['n2']);
    const unremovable = message === null ? [] : [{ node: 'n1', reason: 'NotUnneededOtherReason', message }];
    expect(decision.scaleDown).toMatchObject({ result: 'Planned', message: null, unneeded: ['n1', 'n2'], unremovable });
  });

  test('with delays of their own, what happened to the cluster as a whole does not count', () => {
    const state: Partial<State> = { lastScaleUp: ago(1), lastScaleDownFailure: ago(1) };
    const decision = decide({ nodes: [workerNode('n1')], options: { scaleDownDelayTypeLocal: true }, state });
    expect(goes(decision)).toEqual(['n1']);
  });

  test('when all that could go is in a cool-down of its own, so is the scale-down', () => {
    const web = group('web', { nodes: ['n1'] });
    const decision = decide({
      nodes: [workerNode('n1')],
      groups: [web],
      options: { scaleDownDelayTypeLocal: true },
      state: { groups: { [web.name]: times({ lastScaleUp: ago(1) }) } },
    });
    expect(decision.scaleDown.result).toBe('Cooldown');
  });

  test('clocks go on, and the cluster is evaluated', () => {
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      state: { lastScaleUp: ago(1), unneededSince: { [workerNode('n1').name]: ago(5) } },
    });
    expect(decision.state.unneededSince).toEqual({ n1: ago(5) });
    expect(stays(decision)).toEqual({ n2: 'ScaleDownDisabledAnnotation' });
  });

  test('pods that have just come, and for which nothing is bought yet, hold everything up', () => {
    const fresh = pod('fresh', { requests: { cpu: 4, memory: '17Gi' }, createdAt: NOW, owner: 'ReplicaSet/web' });
    const decision = decide({
      nodes: [workerNode('n1')],
      pods: [fresh],
      options: { unschedulablePodTimeBuffer: seconds(2) },
    });
    expect(decision.scaleUp.result).toBe('Cooldown');
    expect(decision.scaleDown).toMatchObject({ result: 'Cooldown', unneeded: ['n1'], removals: [] });
  });

  test('a group that is raised to its minimum counts as growing', () => {
    const decision = decide({
      nodes: [workerNode('n1')],
      groups: [group('web', { nodes: ['n1'] }), group('low', { min: 1 })],
      options: { enforceNodeGroupMinSize: true },
    });
    expect(decision.registry.repairs).toMatchObject([{ kind: 'IncreaseToMin', group: 'low' }]);
    expect(decision.scaleDown.result).toBe('Cooldown');
  });
});
