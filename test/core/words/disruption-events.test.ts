import { describe, expect, it } from 'vitest';
import { evaluateScaleDown } from '../../../core/evaluate.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { decisionEvents } from '../../../core/words/decision-events.ts';
import { node } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';
import { driftedWorld } from '../disruption/drifted.ts';

function nodeEvents(of: Scenario) {
  const decision = evaluateScaleDown(of);
  const events = [...decisionEvents(of, decision, 7)].filter(({ about }) => about.kind === 'Node');
  return { events, state: decision.state };
}

/** The evaluations of these minutes, one after the other. */
function eventsAfter(...at: readonly number[]) {
  let { state } = driftedWorld();
  return at.map((minute) => {
    const now = addTime(NOW, minutes(minute));
    const { events, state: next } = nodeEvents(driftedWorld({ ...state, lastScaleUpEvaluation: now }, now));
    state = next;
    return events.map(({ reason, message }) => [reason, message]);
  });
}

describe('the events of a node that is to be replaced', () => {
  it('say what it waits for, in the words of outrigger explain node', () => {
    const { uid } = node('old', {});
    expect(nodeEvents(driftedWorld()).events).toEqual([
      {
        about: { kind: 'Node', name: 'old', uid },
        type: 'Normal',
        reason: 'DisruptionLaunching',
        message:
          'drifted: launch template version 1, not 2; waits since 2026-01-01T12:00:00Z for new nodes of node group spare; until 2026-01-01T12:30:00Z at the latest; 1 pod to move',
        occurrence: String(NOW),
      },
    ]);
  });

  it('are one when it begins to wait, and one when it is canceled', () => {
    expect(eventsAfter(0, 1, 2, 31, 32)).toEqual([
      [['DisruptionLaunching', expect.stringContaining('waits since 2026-01-01T12:00:00Z')]],
      [],
      [],
      [
        [
          'DisruptionCancelled',
          'drifted: launch template version 1, not 2; canceled: no replacement in time; left alone until 2026-01-01T13:02:00Z',
        ],
      ],
      [],
    ]);
  });

  it('are none where nothing is replaced', () => {
    const { options, ...rest } = driftedWorld();
    expect(nodeEvents({ ...rest, options: { ...options, driftReplacement: 'off' } }).events).toEqual([]);
  });
});
