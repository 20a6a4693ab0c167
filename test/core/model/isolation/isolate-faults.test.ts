import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { withFit } from '../../../../core/fit.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { Pod, Toleration } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { epochMs, minutes } from '../../../../core/model/values/time.ts';
import { budget, node, pod, type PodOptions } from '../../../builders.ts';
import { backoffSince, group, NOW, running, scenario, times } from '../../../scenario-builders.ts';
import { clusterOf, decide, goes, workerNode, replica, stays } from '../../scaledown/cluster.ts';
import { throwingAt, throwingFor, unsearchable } from './poison.ts';

const TAINT = { key: 'dedicated', value: 'x', effect: 'NoSchedule' };
const TOLERATION: Toleration = { ...TAINT, operator: 'Equal', tolerationSeconds: null };

const victim = pod('victim', { namespace: 'prod', requests: { cpu: 2 }, spec: { tolerations: [TOLERATION] } });

/** A group of one node of 4 CPU, with the pods that are given beside the victim, which requests 2 of them. */
const cluster = (pods: readonly Pod[], given: Partial<Parameters<typeof scenario>[0]> = {}): Scenario =>
  scenario({
    groups: [group('a', { nodes: ['n1'], taints: [TAINT] })],
    nodes: [node('n1', { cpu: 4, memory: '16Gi' }, { taints: [TAINT] })],
    pods: [victim, ...pods],
    ...given,
  });

const outcomes = ({ scaleUp }: Decision) =>
  Object.fromEntries(scaleUp.pods.map(({ pod: key, outcome }) => [key, outcome]));

const evil = (name: string, options: PodOptions = {}): Pod => pod(name, { namespace: 'evil', ...options });

describe('a fault in one pod', () => {
  it('that waits is reported on that pod, and the others are decided about', () => {
    const decision = evaluate(cluster([throwingAt(evil('odd'), 'spec')]));
    expect(outcomes(decision)).toEqual({ 'evil/odd': 'UnexpectedError', 'prod/victim': 'Fits' });
    expect(decision.scaleUp.pods[0]!.reasons).toEqual([{ reason: 'UnexpectedError: TypeError: spec is poison' }]);
    expect(decision.unexpectedErrors).toEqual([
      {
        during: 'ScaleUp',
        pod: 'evil/odd',
        message: 'TypeError: spec is poison',
        stack: expect.stringContaining('at ') as string,
      },
    ]);
  });

  it('that runs excludes its node: the victim gets another one, and that one stays', () => {
    const decision = evaluate(cluster([throwingAt(evil('odd', { node: 'n1' }), 'spec')]));
    expect(outcomes(decision)).toEqual({ 'prod/victim': 'Triggered' });
    expect(decision.scaleUp.increases).toEqual([{ group: 'a', from: 1, to: 2 }]);
    expect(decision.scaleDown.unremovable).toMatchObject([
      { node: 'n1', reason: 'UnexpectedError', pod: 'evil/odd', message: 'UnexpectedError: TypeError: spec is poison' },
    ]);
    expect(decision.unexpectedErrors).toMatchObject([{ pod: 'evil/odd', node: 'n1' }]);
  });

  it('is found where only the simulation of the scheduler meets it, with all pods of its kind', () => {
    const spec = { ...evil('x').spec, tolerations: unsearchable([TOLERATION]) };
    const decision = evaluate(cluster(times(3, (i) => evil(`odd-${i}`, { spec }))));
    expect(outcomes(decision)).toEqual({
      'evil/odd-0': 'UnexpectedError',
      'evil/odd-1': 'UnexpectedError',
      'evil/odd-2': 'UnexpectedError',
      'prod/victim': 'Fits',
    });
    expect(decision.unexpectedErrors).toMatchObject([{ during: 'ScaleUp', pod: 'evil/odd-0', pods: 3 }]);
  });

  it('does not grow with their number: the others of the namespace are given up, the rest is decided', () => {
    const odd = times(40, (i) =>
      evil(`odd-${i}`, { spec: { schedulerName: `s-${i}`, tolerations: unsearchable([TOLERATION]) } }),
    );
    const decision = evaluate(cluster(odd));
    expect(outcomes(decision)).toMatchObject({ 'evil/odd-39': 'UnexpectedError', 'prod/victim': 'Fits' });
    expect(decision.unexpectedErrors!.length).toBeLessThan(10);
  });

  it('was evicted lately: it stays remembered, and is left out', () => {
    const gone = throwingAt(evil('gone', { node: 'n1', owner: 'ReplicaSet/web' }), 'labels');
    const decision = evaluate(cluster([], { state: { recentEvictions: [gone] } }));
    expect(outcomes(decision)).toEqual({ 'prod/victim': 'Fits' });
    expect(decision.state.recentEvictions).toEqual([gone]);
    expect(decision.unexpectedErrors).toMatchObject([{ pod: 'evil/gone' }]);
  });

  it('gives the same decision in whatever order the pods come', () => {
    const spec = { ...evil('x').spec, tolerations: unsearchable([TOLERATION]) };
    const pods = [throwingAt(evil('a'), 'spec'), ...times(3, (i) => evil(`odd-${i}`, { spec })), evil('fine')];
    const one = evaluate(cluster(pods));
    const other = evaluate(cluster(pods.toReversed()));
    const plain = ({ unexpectedErrors = [], ...rest }: Decision) => ({
      ...rest,
      unexpectedErrors: unexpectedErrors.map(({ stack: _stack, ...error }) => error),
    });
    expect(plain(other)).toEqual(plain(one));
  });
});

describe('a fault in a drain rule', () => {
  const KEEP = 'karpenter.sh/do-not-disrupt';
  const nodes = [workerNode('n1'), workerNode('n2'), workerNode('n3')];

  it('keeps the node, and names the pod and the rule; the others go', () => {
    const decision = decide({ nodes, pods: [replica('odd', 'n1', { annotations: throwingFor(KEEP) })] });
    expect(stays(decision)).toMatchObject({ n1: 'UnexpectedError' });
    expect(goes(decision)).toEqual(['n2', 'n3']);
    expect(decision.scaleDown.unremovable).toContainEqual({
      node: 'n1',
      reason: 'UnexpectedError',
      pod: 'default/odd',
      message: `drain rule doNotDisrupt failed: RangeError: ${KEEP} is poison`,
    });
    expect(decision.unexpectedErrors).toMatchObject([
      { during: 'ScaleDown', pod: 'default/odd', node: 'n1', rule: 'doNotDisrupt' },
    ]);
  });
});

describe('a fault in one node', () => {
  it.each(['taints', 'conditions', 'allocatable', 'labels'] as const)(
    'keeps it where it is, excluded, and its instance registered: %s',
    (field) => {
      const bad = throwingAt(workerNode('n1'), field);
      const given = {
        nodes: [bad, workerNode('n2'), workerNode('n3')],
        pods: [replica('p', 'n3', { requests: { cpu: 4 } })],
        group: { nodes: ['n1', 'n2', 'n3'] },
        state: { unregisteredSince: { 'i-web-0': epochMs(NOW - minutes(60)) } },
      };
      const decision = decide(given);
      expect(goes(decision)).toEqual(['n2']);
      expect(stays(decision)).toMatchObject({ n1: 'UnexpectedError' });
      expect(decision.registry.repairs).toEqual([]);
      expect(decision.registry.groups[groupName('web')]).toMatchObject({ registered: 3, unregistered: 0 });
      expect(decision.scaleUp.increases).toEqual([]);
      expect(decision.unexpectedErrors).toMatchObject([{ node: 'n1' }]);
    },
  );

  it('is no room', () => {
    const bad = throwingAt(node('n1', { cpu: 4, memory: '16Gi' }), 'labels');
    expect(outcomes(evaluate(cluster([], { nodes: [bad] })))).toEqual({ 'prod/victim': 'Triggered' });
  });
});

describe('a fault in one node group', () => {
  const good = group('good', { taints: [TAINT], node: { cpu: 4, memory: '16Gi' } });

  it.each(['template', 'options', 'price', 'alternatives'] as const)(
    'leaves it out; another one grows: %s',
    (field) => {
      const bad = throwingAt(group('bad', { taints: [TAINT] }), field);
      const decision = evaluate(cluster([], { groups: [bad, good], nodes: [] }));
      expect(decision.scaleUp.increases).toEqual([{ group: 'good', from: 0, to: 1 }]);
      expect(decision.scaleUp.skippedGroups).toMatchObject([{ group: 'bad', reason: 'UnexpectedError' }]);
      expect(decision.unexpectedErrors).toMatchObject([{ group: 'bad' }]);
    },
  );

  it('in counting its instances leaves what is remembered of it as it was', () => {
    const bad = throwingAt(group('bad', { target: 3 }), 'instances');
    const state = {
      backoff: { [groupName('bad')]: backoffSince(epochMs(NOW - 60_000), { until: epochMs(NOW + 60_000) }) },
      scaleUpRequests: [
        { group: groupName('bad'), increase: 3, time: epochMs(NOW - 60_000), expectedAddTime: epochMs(NOW + 60_000) },
      ],
      unregisteredSince: { 'i-bad-0': epochMs(NOW - 1_000) },
    };
    const decision = evaluate(cluster([], { groups: [bad, good], nodes: [], state }));
    expect(decision.scaleUp.increases).toEqual([{ group: 'good', from: 0, to: 1 }]);
    expect(decision.state.backoff).toEqual(state.backoff);
    expect(decision.state.unregisteredSince).toEqual(state.unregisteredSince);
    expect(decision.state.scaleUpRequests).toMatchObject([{ group: 'bad', increase: 3 }, { group: 'good' }]);
    expect(decision.registry.repairs).toEqual([]);
  });

  it('repairs the others', () => {
    const bad = throwingAt(group('bad'), 'instances');
    const broken = group('broken', { target: 1, instances: [running('i-1', null)] });
    const decision = evaluate(
      cluster([], {
        groups: [bad, broken],
        nodes: [],
        state: { unregisteredSince: { [instanceId('i-1')]: epochMs(NOW - minutes(60)) } },
      }),
    );
    expect(decision.registry.repairs).toEqual([{ kind: 'DeleteUnregistered', group: 'broken', instance: 'i-1' }]);
  });
});

describe('a fault in another object', () => {
  it('of a budget keeps the pods of its namespace where they are', () => {
    const odd = throwingAt(
      budget({ name: 'odd', disruptionsAllowed: 5, currentHealthy: 5, desiredHealthy: 0, expectedPods: 5 }),
      'selector',
    );
    const base = { nodes: [workerNode('n1'), workerNode('n2')], pods: [replica('p', 'n1'), replica('q', 'n2')] };
    const decision = decide({ ...base, objects: { ...clusterOf(base).objects, podDisruptionBudgets: [odd] } });
    expect(goes(decision)).toEqual([]);
    expect(stays(decision)).toMatchObject({ n1: 'BlockedByPod NotEnoughPdb' });
    expect(decision.scaleDown.unremovable).toContainEqual(
      expect.objectContaining({ message: 'PodDisruptionBudget odd cannot be read, and may cover it' }),
    );
    expect(decision.unexpectedErrors).toMatchObject([{ object: 'podDisruptionBudgets odd' }]);
  });
});

describe('what nodes say to pods', () => {
  it('is told of all but the pod that cannot be evaluated', () => {
    const given = cluster([throwingAt(evil('odd'), 'spec')]);
    const { fit, unexpectedErrors } = withFit(evaluate(cluster([])), given);
    expect(fit).toEqual([{ pod: 'prod/victim', nodes: { n1: 'ok' } }]);
    expect(unexpectedErrors).toMatchObject([{ during: 'Fit', pod: 'evil/odd' }]);
  });

  it('is told of all but the kind of pods that the scheduler fails for', () => {
    const spec = { ...evil('x').spec, tolerations: unsearchable([TOLERATION]) };
    const { fit, unexpectedErrors } = withFit(evaluate(cluster([])), cluster([evil('odd', { spec })]));
    expect(fit).toEqual([{ pod: 'prod/victim', nodes: { n1: 'ok' } }]);
    expect(unexpectedErrors).toMatchObject([{ during: 'Fit', pod: 'evil/odd' }]);
  });
});

describe('a fault in a whole half', () => {
  const withOption = (field: keyof Options, of: Scenario): Scenario => ({
    ...of,
    options: throwingAt(of.options, field, false),
  });
  const idle = clusterOf({ nodes: [workerNode('n1'), workerNode('n2')] });
  const since = { n1: epochMs(NOW - minutes(30)) };

  it('of scale-down keeps the decision to grow, and its clocks as they were', () => {
    const given = cluster([], {
      nodes: [],
      groups: [group('a', { taints: [TAINT] })],
      state: { unneededSince: since },
    });
    const decision = evaluate(withOption('maxScaleDownParallelism', given));
    const sound = evaluate(given);
    expect(decision.scaleUp).toEqual(sound.scaleUp);
    expect(decision.scaleUp.increases).toHaveLength(1);
    expect(decision.state).toMatchObject({ unneededSince: since, lastScaleUp: NOW });
    expect(decision.scaleDown).toMatchObject({ result: 'UnexpectedError', removals: [] });
    expect(decision.unexpectedErrors).toMatchObject([
      { during: 'ScaleDown', message: 'TypeError: maxScaleDownParallelism is poison' },
    ]);
  });

  it('of scale-up lets the clocks of scale-down go on, and removes nothing that pods may want', () => {
    const waiting = { ...idle, objects: { ...idle.objects, pods: [pod('big', { requests: { cpu: 3 } })] } };
    const decision = evaluate(withOption('enforceNodeGroupMinSize', waiting));
    expect(decision.scaleUp).toMatchObject({
      result: 'UnexpectedError',
      increases: [],
      pods: [{ pod: 'default/big', outcome: 'UnexpectedError' }],
    });
    expect(decision.scaleDown).toMatchObject({ result: 'Cooldown', unneeded: ['n1', 'n2'], removals: [] });
    expect(Object.keys(decision.state.unneededSince)).toEqual(['n1', 'n2']);
  });

  it('of the registry changes nothing at all', () => {
    const given = withOption('okTotalUnreadyCount', { ...idle, state: { ...idle.state, unneededSince: since } });
    const decision = evaluate(given);
    expect(decision).toMatchObject({
      scaleUp: { result: 'UnexpectedError' },
      scaleDown: { result: 'UnexpectedError' },
    });
    expect(decision.state).toBe(given.state);
    expect(decision.unexpectedErrors).toMatchObject([{ during: 'Registry' }]);
  });

  it('says nothing where there is none', () => {
    expect(evaluate(idle)).not.toHaveProperty('unexpectedErrors');
  });
});
