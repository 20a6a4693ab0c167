import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { throwingAt } from '../model/isolation/poison.ts';
import { pod } from '../../builders.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { ago, AT_ONCE, BEFORE, clusterOf, workerNode, replica } from '../scaledown/cluster.ts';

/** `n1` is empty, `n2` is well used; scale-up was evaluated a minute ago. */
const idle = (given: Partial<Parameters<typeof clusterOf>[0]> = {}): Scenario =>
  clusterOf({
    nodes: [workerNode('n1'), workerNode('n2')],
    pods: [replica('a', 'n2', { requests: { cpu: 3 } })],
    options: AT_ONCE,
    group: { nodes: ['n1', 'n2'], max: 10 },
    state: { ...BEFORE, lastScaleUpEvaluation: ago(1) },
    ...given,
  });

const removed = ({ scaleDown }: ReturnType<typeof evaluate>) => scaleDown.removals.map(({ node }) => node);
/** It needs a node of its own, however many are empty. */
const large = pod('large', {
  requests: { cpu: 3.5 },
  spec: { nodeSelector: { pool: 'large' } },
  owner: 'ReplicaSet/l',
});
const growing = (given: Partial<Parameters<typeof clusterOf>[0]> = {}): Scenario =>
  idle({
    pods: [replica('a', 'n2', { requests: { cpu: 3 } }), large],
    groups: [group('web', { nodes: ['n1', 'n2'], max: 10 }), group('large', { labels: { pool: 'large' }, max: 10 })],
    ...given,
  });

describe('the two parts of an evaluation', () => {
  test('decide what the whole decides, each its own', () => {
    const scenario = idle();
    const whole = evaluate(scenario);
    expect(removed(whole)).toEqual(['n1']);
    expect(evaluateScaleDown(scenario)).toMatchObject({
      evaluation: 'ScaleDown',
      scaleUp: { result: 'NotEvaluated', increases: [], pods: [] },
      scaleDown: whole.scaleDown,
      registry: whole.registry,
    });
    expect(evaluateScaleUp(scenario)).toMatchObject({
      evaluation: 'ScaleUp',
      scaleUp: whole.scaleUp,
      scaleDown: { result: 'NotEvaluated', removals: [], unremovable: [] },
      registry: whole.registry,
    });
  });

  test('leave the other’s part of the state as it was', () => {
    const state: Scenario['state'] = { ...growing().state, unneededSince: { [nodeName('n1')]: ago(3) } };
    const scenario = { ...growing(), state };
    const up = evaluateScaleUp(scenario);
    expect(up.scaleUp.result).toBe('ScaledUp');
    expect(up.state).toEqual({
      ...evaluate(scenario).state,
      lastScaleUpEvaluation: NOW,
      unneededSince: state.unneededSince,
      unremovableUntil: state.unremovableUntil,
      lastEvaluation: state.lastEvaluation,
    });
    const down = evaluateScaleDown(idle());
    expect(down.state).toEqual({
      ...idle().state,
      unneededSince: { n1: NOW },
      deletionsInProgress: [{ node: 'n1', group: 'web', kind: 'empty', since: NOW }],
      scaleDownRequests: evaluate(idle()).state.scaleDownRequests,
      lastEvaluation: NOW,
    });
  });

  test('one after the other come to the state that the whole comes to', () => {
    const scenario = idle();
    const { state } = evaluateScaleUp(scenario);
    const after = evaluateScaleDown({ ...scenario, state }).state;
    expect(after).toEqual({ ...evaluate(scenario).state, lastScaleUpEvaluation: NOW });
  });
});

describe('scale-down by itself', () => {
  test('removes nothing where pods want nodes, and leaves it to scale-up to add them', () => {
    const decision = evaluateScaleDown(growing());
    expect(decision.scaleDown).toMatchObject({ result: 'Cooldown', removals: [], awaitsScaleUp: true });
    expect(decision.registry.repairs).toEqual([]);
    expect(decision.state.scaleUpRequests).toEqual([]);
    expect(decision.state.lastScaleUp).toBeNull();
  });

  test.each([
    { name: 'has not been evaluated for long', state: { ...BEFORE, lastScaleUpEvaluation: ago(11) } },
    { name: 'was never evaluated', state: BEFORE },
  ])('goes on where pods want nodes and scale-up $name', ({ state }) => {
    const decision = evaluateScaleDown(growing({ state }));
    expect(removed(decision)).toEqual(['n1']);
    expect(decision.scaleDown.awaitsScaleUp).toBe(true);
  });

  test('keeps the nodes that pods which wait will run on', () => {
    const waiting = pod('waiting', { requests: { cpu: 2 }, owner: 'ReplicaSet/web' });
    const decision = evaluateScaleDown(idle({ pods: [replica('a', 'n2', { requests: { cpu: 3 } }), waiting] }));
    expect(removed(decision)).toEqual([]);
    expect(decision.scaleDown.awaitsScaleUp).toBeUndefined();
  });
});

test('a registry that fails is told by each part, with the state as it was', () => {
  const scenario = { ...idle(), state: throwingAt({ ...idle().state }, 'backoff') };
  for (const [decide, other] of [
    [evaluateScaleUp, 'scaleDown'],
    [evaluateScaleDown, 'scaleUp'],
  ] as const) {
    const decision = decide(scenario);
    expect(decision.unexpectedErrors).not.toEqual([]);
    expect(decision[other].result).toBe('NotEvaluated');
    expect(decision.state).toBe(scenario.state);
  }
});
