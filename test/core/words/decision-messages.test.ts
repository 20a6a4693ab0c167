import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Pause } from '../../../core/model/pause.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { storedHealthProblems, type HealthProblem } from '../../../core/model/health-problem.ts';
import { clusterName, groupName, nodeName, podKey } from '../../../core/model/values/names.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { decisionMessages } from '../../../core/words/decision-messages.ts';
import { pod } from '../../builders.ts';
import { backoffSince, group, NOW, scenario } from '../../scenario-builders.ts';

const CLUSTER = clusterName('web');

const messagesOf = (of: Scenario, before: State = EMPTY_STATE, problems: readonly HealthProblem[] = []) => {
  const decision = evaluateScaleUp(of);
  const messages = decisionMessages(CLUSTER, { before, scenario: of, decision, problems, version: 7 });
  return { messages, after: { ...decision.state, problems: storedHealthProblems(problems) } };
};

describe('the messages of a decision', () => {
  it('tell of each node group that is to grow', () => {
    const pods = [pod('web-1', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' })];
    expect(messagesOf(scenario({ groups: [group('a')], pods })).messages).toEqual([
      {
        kind: 'ScaleUp',
        id: 'web/7/ScaleUp/a',
        cluster: 'web',
        time: NOW,
        decision: 7,
        text: 'Scale-up: setting group a size to 1 instead of 0 (max: 10)',
        group: 'a',
        from: 0,
        to: 1,
      },
    ]);
  });

  it('tell of each node that is to be removed', () => {
    const of = scenario({ groups: [group('a')] });
    const decision = evaluateScaleUp(of);
    const removal = { group: groupName('a'), destinations: [] };
    const removals = [
      { ...removal, node: nodeName('n1'), kind: 'empty', pods: [] },
      { ...removal, node: nodeName('n2'), kind: 'drain', pods: [podKey('shop', 'web-1')] },
    ] as const;
    const removing = { ...decision, scaleDown: { ...decision.scaleDown, removals } };
    expect(
      decisionMessages(CLUSTER, { before: EMPTY_STATE, scenario: of, decision: removing, version: 7 }).map(
        ({ kind, id, reason, node }) => [kind, id, reason, node],
      ),
    ).toEqual([
      ['ScaleDown', 'web/7/ScaleDown/n1', 'empty', 'n1'],
      ['ScaleDown', 'web/7/ScaleDown/n2', 'drain', 'n2'],
    ]);
  });

  it('tell once of a node group in backoff, and again when its launches fail again', () => {
    const backoffAt = (lastFailure: number): State => ({
      ...EMPTY_STATE,
      backoff: { [groupName('a')]: backoffSince(epochMs(lastFailure), { until: addTime(NOW, minutes(5)) }) },
    });
    // The failure of a call is in the state before the decision is made.
    const of = scenario({ groups: [group('a')], state: backoffAt(NOW - 1_000) });
    const first = messagesOf(of);
    expect(first.messages).toMatchObject([
      { kind: 'GivenUp', id: 'web/7/GivenUp/a', reason: 'Quota', group: 'a', text: expect.stringContaining('Quota') },
    ]);
    expect(messagesOf(of, first.after).messages).toEqual([]);
    expect(messagesOf(of, backoffAt(NOW - 400_000)).messages).toHaveLength(1);
  });

  it('tell once of a pause, and again when its end is moved', () => {
    const pausedUntil = (until: number | null): Scenario => {
      const pause: Pause = {
        part: 'ScaleUp',
        group: null,
        until: until === null ? null : epochMs(until),
        cancelDrains: false,
        source: 'Command',
      };
      return { ...scenario({ groups: [group('a')] }), pauses: [pause] };
    };
    const first = messagesOf(pausedUntil(NOW + 60_000));
    expect(first.messages).toMatchObject([
      { kind: 'Paused', reason: 'ScaleUp', text: expect.stringMatching(/^scale-up is paused until 2026/) },
    ]);
    const of = { ...pausedUntil(NOW + 60_000), state: first.after };
    expect(messagesOf(of, first.after).messages).toEqual([]);
    expect(messagesOf({ ...pausedUntil(null), state: first.after }, first.after).messages).toHaveLength(1);
    const resumed = messagesOf({ ...of, pauses: [] }, first.after);
    expect([resumed.messages, resumed.after.pausesInForce]).toEqual([[], undefined]);
  });

  it('tell once of a problem, whichever pod waits longest, and of each tainted node', () => {
    const of = scenario({ groups: [group('a')] });
    const waits = (name: string): HealthProblem => ({
      kind: 'LongPendingPods',
      since: NOW,
      pod: podKey('shop', name),
      pods: 2,
    });
    const tainted = (name: string): HealthProblem => ({ kind: 'NodeTainted', since: NOW, node: nodeName(name) });
    const first = messagesOf(of, EMPTY_STATE, [waits('a'), tainted('n1')]);
    expect(first.messages.map(({ kind, reason, node }) => [kind, reason, node])).toEqual([
      ['NeedsAttention', 'LongPendingPods', undefined],
      ['NeedsAttention', 'NodeTainted', 'n1'],
    ]);
    const again = messagesOf(of, first.after, [waits('b'), tainted('n1'), tainted('n2')]);
    expect(again.messages.map(({ reason, node }) => [reason, node])).toEqual([['NodeTainted', 'n2']]);
  });
});
