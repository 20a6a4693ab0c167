import { expect, it } from 'vitest';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { FORMER_FIELDS } from '../../../providers/schema/former-names.ts';
import { decisionDocument } from '../../../providers/schema/decision.ts';
import { storedDecision } from '../../../providers/schema/stored/decision.ts';
import { parseStoredScenario } from '../../../providers/schema/stored/scenario.ts';
import { readState, writeState } from '../../state-documents.ts';
import { scenario } from '../../scenario-builders.ts';
import { decisionOf, NOON } from '../state-store.contract.ts';

const TIME = '2026-01-01T12:00:00Z';
const learned = { group: 'web', removals: 3 };
const FORMER_STATE = {
  unneededTimes: [{ ...learned, time: '2m', boughtAgain: 1, watched: [] }],
  consolidationMoves: [{ lineage: 'default/ReplicaSet/web', first: TIME, last: TIME, pods: 2 }],
  reservations: { web: [{ kind: 'f00', count: 3, there: 1 }] },
  troubles: [
    { kind: 'PodsWait', since: TIME, about: 'default/a', pods: 1 },
    { kind: 'NodeHeld', since: TIME, about: 'n1', pods: 0 },
  ],
};

it('the state of an older document has its present names', () => {
  const read = readState(FORMER_STATE);
  expect(read.ok && writeState(read.value)).toMatchObject({
    unneededTimes: [{ ...learned, relaunched: 1 }],
    consolidationMoves: [{ controller: 'default/ReplicaSet/web', pods: 2 }],
    reservations: { web: [{ kind: 'f00', count: 3, existing: 1 }] },
    problems: [{ kind: 'LongPendingPods' }, { kind: 'NodeAwaitingPods' }],
  });
});

const FORMER_DECISION = {
  scaleUp: {
    forgotten: { pod: 'default/a', node: 'n1' },
    daemonsLeftOut: [{ daemonSet: 'a', group: 'web', groups: 1, reason: 'full' }],
    considered: [
      {
        options: [{ group: 'web', nodes: 1, pods: 1, waste: 0, similarGroups: [], cutShort: true }],
        winner: 'web',
        why: 'chance',
        split: [],
        uneven: [{ group: 'b', reason: 'a' }],
        asks: ['web'],
      },
    ],
  },
  scaleDown: { budgets: [{ group: 'web', budget: '1', nodes: 1, total: 3, away: 1, until: TIME }] },
};
const PRESENT_DECISION = {
  scaleUp: {
    requeued: { node: 'n1' },
    skippedDaemonSets: [{ reason: 'full' }],
    considered: [{ options: [{ incomplete: true }], unbalanced: [{ group: 'b', reason: 'a' }], unanswered: ['web'] }],
  },
  scaleDown: { budgets: [{ disrupting: 1 }] },
};

it('an older decision has its present names, in a document and as it was stored', () => {
  const { scaleUp, scaleDown, ...rest } = decisionOf('large');
  const older = {
    scaleUp: { ...scaleUp, ...FORMER_DECISION.scaleUp },
    scaleDown: { ...scaleDown, ...FORMER_DECISION.scaleDown },
  };
  expect(storedDecision.parse({ ...rest, ...older })).toMatchObject(PRESENT_DECISION);
  const { scaleUp: up, scaleDown: down } = decisionDocument.shape;
  expect(up.parse(older.scaleUp)).toMatchObject(PRESENT_DECISION.scaleUp);
  expect(down.parse(older.scaleDown)).toMatchObject(PRESENT_DECISION.scaleDown);
});

it('the scenario of an older decision has its present names', () => {
  const given = scenario({ groups: [] });
  const { excludedNodes, ...objects } = given.objects;
  const troubles = [{ kind: 'PodsWait', since: NOON, about: 'default/a', pods: 1 }];
  const read = parseStoredScenario({
    ...given,
    now: NOON,
    objects: { ...objects, closedNodes: [{ node: 'n1', reason: 'UnreadableNode', message: '' }] },
    state: { ...EMPTY_STATE, troubles },
  });
  expect(excludedNodes).toEqual([]);
  expect(read.objects.excludedNodes).toEqual([{ node: 'n1', reason: 'UnreadableNode', message: '' }]);
  expect(read.state.problems).toEqual([{ ...troubles[0], kind: 'LongPendingPods' }]);
});

it('a present name is no former one of the same object', () => {
  for (const former of Object.values<Readonly<Record<string, string | null>>>(FORMER_FIELDS)) {
    expect(Object.values(former).filter((name) => name !== null && name in former)).toEqual([]);
  }
});
