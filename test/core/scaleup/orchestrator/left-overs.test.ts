import { describe, expect, it } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { State } from '../../../../core/model/state.ts';
import { NO_TIME_LIMIT, type TimeLimit } from '../../../../core/model/time-limit.ts';
import { MOST_DEFERRED } from '../../../../core/scaleup/orchestrator/left-overs.ts';
import { node, pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

/** The time is up once it was asked for that often: the same scenario always ends in the same place. */
function upAfter(asked: number): TimeLimit {
  let left = asked;
  return { isUp: () => left-- <= 0 };
}

const AT_ONCE = upAfter(0);

/** Pods of one kind each, larger than the pods of other namespaces. */
const hostile = (count: number, namespace = 'evil'): readonly Pod[] =>
  times(count, (i) => pod(`p-${String(i).padStart(4, '0')}`, { namespace, requests: { cpu: `${3_000 + i}m` } }));
const victims = times(3, (i) => pod(`web-${i}`, { namespace: 'prod', requests: { cpu: `${150 + i * 7}m` } }));

const world = (pods: readonly Pod[], state: Partial<State> = {}) =>
  scenario({
    groups: [group('g', { nodes: ['n-0'], max: 2_000 })],
    nodes: [node('n-0', { cpu: 4, memory: '16Gi' })],
    pods,
    state,
  });

const outcomesIn = ({ scaleUp }: Decision, namespace: string) =>
  scaleUp.pods.flatMap(({ pod: key, outcome }) => (key.startsWith(`${namespace}/`) ? outcome : []));

describe('an evaluation whose time is up', () => {
  it('adds no node for pods that it has not considered, and says why', () => {
    const decision = evaluate(world([...hostile(40), ...victims]), AT_ONCE);
    expect(decision.unexpectedErrors).toBeUndefined();
    expect(decision.scaleUp.increases).toEqual([]);
    expect(decision.scaleUp.pods).toHaveLength(43);
    for (const { outcome, reasons } of decision.scaleUp.pods) {
      expect(outcome).toBe('Awaiting');
      expect(reasons).toMatchObject([{ kind: 'TimeUsedUp' }]);
    }
  });

  it('removes no node, whose pods might need it', () => {
    const idle = { ...world([]), nodeGroups: [group('g', { nodes: ['n-0', 'n-1'] })] };
    const given = {
      ...idle,
      objects: { ...idle.objects, nodes: ['n-0', 'n-1'].map((name) => node(name, { cpu: 4, memory: '16Gi' })) },
    };
    expect(evaluateScaleDown(given, NO_TIME_LIMIT).scaleDown.unneeded.length).toBeGreaterThan(0);
    expect(evaluateScaleDown(given, AT_ONCE).scaleDown.unneeded).toEqual([]);
  });

  it('remembers the pods, and shares the number among namespaces', () => {
    const { state } = evaluateScaleUp(
      world([...hostile(MOST_DEFERRED + 50), ...hostile(MOST_DEFERRED, 'worse'), ...victims]),
      AT_ONCE,
    );
    const deferred = state.deferredPods!;
    expect(deferred).toHaveLength(MOST_DEFERRED);
    expect(deferred.filter((key) => key.startsWith('prod/'))).toEqual(['prod/web-0', 'prod/web-1', 'prod/web-2']);
    expect(deferred.filter((key) => key.startsWith('evil/')).length).toBeGreaterThanOrEqual(98);
  });

  it('commits what it has decided before', () => {
    for (const asked of times(60, (i) => i * 5)) {
      const decision = evaluateScaleUp(world([...hostile(20), ...victims]), upAfter(asked));
      const said = decision.scaleUp.pods.map(({ outcome }) => outcome);
      const nodes = decision.scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
      expect(said.filter((outcome) => outcome === 'Triggered').length > 0).toBe(nodes > 0);
      expect(decision.unexpectedErrors).toBeUndefined();
      expect(said).not.toContain('Unschedulable');
    }
  });
});

describe('the evaluation after one whose time was up', () => {
  /** As much as the fit of a few kinds of pods takes. */
  const SHORT = 10;

  it('considers the deferred pods first, one of each namespace in turn', () => {
    const pods = [...hostile(60), ...victims];
    const first = evaluateScaleUp(world(pods), upAfter(SHORT));
    expect(outcomesIn(first, 'prod')).toEqual(['Awaiting', 'Awaiting', 'Awaiting']);
    const second = evaluateScaleUp(world(pods, { deferredPods: first.state.deferredPods }), upAfter(SHORT));
    expect(outcomesIn(second, 'prod')).toEqual(['Fits', 'Fits', 'Fits']);
  });

  it('adds nodes for the deferred pods before it does for others', () => {
    const running = pod('running', { node: 'n-0', requests: { cpu: '3950m' } });
    const pods = [running, ...hostile(60), pod('large', { namespace: 'prod', requests: { cpu: '3900m' } })];
    const { scaleUp } = evaluateScaleUp(world(pods, { deferredPods: ['prod/large'] }));
    expect(scaleUp.considered[0]!.options[0]!.pods).toBe(1);
    expect(scaleUp.pods.every(({ outcome }) => outcome !== 'Unschedulable')).toBe(true);
  });

  it('forgets them once it has had time for all', () => {
    const deferredPods = ['evil/p-0001', 'gone/pod', 'prod/web-0'];
    expect(evaluateScaleUp(world([...hostile(5), ...victims], { deferredPods })).state.deferredPods).toBeUndefined();
  });
});

it('a limit that is not reached changes nothing', () => {
  const given = world([...hostile(30), ...victims]);
  expect(evaluate(given, upAfter(Number.POSITIVE_INFINITY))).toEqual(evaluate(given));
});
