import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { subjectText, aboutCluster } from '../../../cli/explain/subjects.ts';
import type { Subject } from '../../../core/explanation/pages/page.ts';
import { liveReport } from '../../../cli/html/live-report.ts';
import { createLiveRecorder } from '../../../cli/html/live-recorder.ts';
import { evaluateScaleDown } from '../../../core/evaluate.ts';
import { explainGroup } from '../../../core/explanation/group.ts';
import { explainNode } from '../../../core/explanation/node.ts';
import type { ClusterRecord } from '../../../core/explanation/cluster-record.ts';
import { statusOf } from '../../../core/explanation/status.ts';
import { timelineOf } from '../../../core/explanation/timeline.ts';
import type { Unremovable } from '../../../core/model/decision.ts';
import type { DisruptionReport } from '../../../core/model/disruption.ts';
import { recorded } from '../../../core/actuation/commit/recorded.ts';
import { clusterName, groupName, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { disruptionText } from '../../../core/words/disruption.ts';
import { WHY_NODE_STAYS } from '../../../core/words/why-node-stays.ts';
import { writeExplanation } from '../../../providers/schema/explanation.ts';
import { widgetPage } from '../../../providers/html/widget/page.ts';
import { NOW } from '../../scenario-builders.ts';
import { driftedWorld } from '../disruption/drifted.ts';

const OLD = nodeName('old');
const world = driftedWorld();
const decision = recorded(evaluateScaleDown(world), world);
const record: ClusterRecord = {
  cluster: clusterName('web'),
  mode: 'act',
  now: addTime(NOW, minutes(1)),
  options: world.options,
  version: 1,
  state: decision.state,
  intents: [],
  drains: [],
  scaleUp: decision,
  scaleDown: decision,
};
const [report] = decision.scaleDown.disruptions!;
const WAITS =
  'drifted: launch template version 1, not 2; waits since 2026-01-01T12:00:00Z for new nodes of node group spare; until 2026-01-01T12:30:00Z at the latest; 1 pod to move';

/** The record after another decision about the disruption. */
function after(
  given: Partial<DisruptionReport>,
  more: Partial<ClusterRecord['state']> = {},
  stays: Unremovable[] = [],
) {
  const { disruptions = [], ...rest } = decision.state;
  const isPending = given.state === 'Waiting' || given.state === 'Held';
  const state = {
    ...rest,
    ...(isPending && { disruptions: disruptions.map((one) => ({ ...one, saving: given.saving ?? one.saving })) }),
    ...more,
  };
  const scaleDown = {
    ...decision,
    scaleDown: { ...decision.scaleDown, unremovable: stays, disruptions: [{ ...report!, ...given }] },
  };
  return { ...record, state, scaleDown };
}

const toldOf = (of: ClusterRecord): string | null => {
  const { disruption } = explainNode(of, OLD)!;
  return disruption === null ? null : disruptionText(disruption);
};

describe('a node that is to be replaced', () => {
  it('is told with what is wrong with it, its replacement, the pods that move, and its deadline', () => {
    expect(toldOf(record)).toBe(WAITS);
    expect(explainNode(record, nodeName('b'))?.disruption).toBeNull();
  });

  const budget: Unremovable = { node: OLD, reason: 'DisruptionBudgetReached', message: 'budget "10%" of the cluster' };
  const until = { unremovableUntil: { [OLD]: addTime(NOW, minutes(40)) } };
  const drift = 'drifted: launch template version 1, not 2';
  const move = 'until 2026-01-01T12:30:00Z at the latest; 1 pod to move';
  it.each<[string, string, Parameters<typeof after>]>([
    [
      'what it waits for',
      `${WAITS}; a pod has no capacity on a ready node yet`,
      [{ state: 'Waiting', message: 'a pod has no capacity on a ready node yet' }],
    ],
    [
      'what it saves, at the unit it is known in',
      `not needed, or too expensive; waits since 2026-01-01T12:00:00Z for new nodes of node group spare; ${move}; saves 0.0500 USD per hour`,
      [{ state: 'Waiting', reason: 'Underutilized', cause: undefined!, basis: 'price', saving: 0.05 }],
    ],
    [
      'what it costs more',
      `${WAITS}; costs 0.2000 per hour at reference prices more`,
      [{ state: 'Waiting', saving: -0.2 }],
    ],
    [
      'the disruption budget that holds it',
      `${drift}; replacement ready, held back; ${move}; budget "10%" of the cluster`,
      [{ state: 'Held' }, {}, [{ node: OLD, reason: 'ReplacementPending' }, budget]],
    ],
    [
      'the pod that holds it',
      `${drift}; replacement ready, held back; ${move}; pod default/p: NotEnoughPdb`,
      [{ state: 'Held', message: 'pod default/p: NotEnoughPdb' }, {}, [budget]],
    ],
    ['that it goes now', `${drift}; replacement ready, removed now; 1 pod to move`, [{ state: 'Ready' }]],
    [
      'why it was canceled, and until when it is left alone',
      `${drift}; canceled: no replacement in time; left alone until 2026-01-01T12:40:00Z`,
      [{ state: 'Cancelled', cancelled: 'DeadlineExceeded' }, until],
    ],
    [
      'the budget for which it was canceled',
      'not as its group is now; canceled: disruption budget is 0; budget "0" of node group web',
      [{ state: 'Cancelled', cancelled: 'BudgetZero', cause: undefined!, message: 'budget "0" of node group web' }],
    ],
  ])('is told with %s', (_, text, given) => {
    expect(toldOf(after(...given))).toBe(text);
  });

  it('waits, also where the decision about it is not stored any more', () => {
    expect(toldOf({ ...record, scaleDown: null })).toMatch(/^not as its group is now; waits since/);
  });

  it('waits on where the other nodes of its disruption go', () => {
    const nodes = [nodeName('b'), OLD];
    const { disruptions } = statusOf({
      ...record,
      scaleDown: {
        ...decision,
        scaleDown: { ...decision.scaleDown, disruptions: [{ ...report!, nodes, state: 'Ready' }] },
      },
    });
    expect(disruptions).toMatchObject([
      { nodes: ['b'], state: 'Ready' },
      { nodes: ['old'], state: 'Waiting' },
    ]);
  });

  it('is told of its group, and of the one that gets the new node', () => {
    const told = (name: string) => explainGroup(record, groupName(name))?.disruptions;
    expect(told('web')).toMatchObject([{ nodes: ['old'], groups: ['web'], replacement: 'spare' }]);
    expect(told('spare')).toEqual(told('web'));
    expect(told('other')).toEqual([]);
  });
});

describe('what is shown of it', () => {
  const style = { colors: pc.createColors(false), width: 400 };
  const asked = (subject: Subject, name: string) => {
    const answered = subjectText(subject, name, record);
    if (!answered.ok) {
      throw new Error(answered.error.join('\n'));
    }
    return answered.value;
  };

  it('is in what outrigger explain and outrigger status print', () => {
    const status = aboutCluster(record);
    expect(asked('node', 'old').text(style)).toContain(`Replacement\n  ${WAITS}`);
    expect(asked('group', 'web').text(style)).toContain(`Replacements\n  old  web  ${WAITS}`);
    expect(status.ok && status.value.text(style)).toContain(`Replacements (1)\n  old  web  ${WAITS}`);
  });

  it('is in what they print for programs', () => {
    const written = (subject: Subject, name: string): unknown => {
      const { kind, explanation } = asked(subject, name);
      return writeExplanation(kind, explanation);
    };
    const row = { nodes: ['old'], reason: 'Drifted', state: 'Waiting', deadline: '2026-01-01T12:30:00Z' };
    expect(written('node', 'old')).toMatchObject({ disruption: row });
    expect(written('node', 'b')).toMatchObject({ disruption: null });
    expect(written('group', 'web')).toMatchObject({ disruptions: [row] });
  });

  it.each([
    ['status', { kind: 'status' }],
    ['node', { kind: 'subject', subject: 'node', name: 'old' }],
    ['group', { kind: 'subject', subject: 'group', name: 'web' }],
  ] as const)('is on the dashboard, under %s', (_, view) => {
    const page = widgetPage(record, [], { view, theme: 'light' }, { endpoint: 'arn' });
    expect(page).toContain(WAITS);
  });

  it('is on the page of a process that runs', () => {
    const { tables } = liveReport('web', createLiveRecorder(NOW).recorded(), statusOf(record));
    expect(tables?.find(({ title }) => title === 'Replacements')?.rows).toEqual([['old', WAITS]]);
  });

  it('is in what decisions have said of the node, once while it waits', () => {
    const given = (minute: number, scaleDown: Partial<DisruptionReport>) => {
      const { state, scaleDown: later } = after(scaleDown, {}, [{ node: OLD, reason: 'ReplacementPending' }]);
      const at = addTime(NOW, minutes(minute));
      const kind = 'scale-down' as const;
      const entry = {
        id: String(minute),
        at,
        kind,
        changes: true,
        did: '',
        scenario: 'kept' as const,
        settings: world.options,
      };
      return { ...entry, decision: { ...later, state } };
    };
    const decisions = [
      given(0, { state: 'Waiting' }),
      given(1, { state: 'Waiting', message: 'a pod has no capacity on a ready node yet' }),
      given(2, { state: 'Cancelled', cancelled: 'DeadlineExceeded' }),
    ];
    const meaning = WHY_NODE_STAYS.ReplacementPending.sentence;
    expect(timelineOf(record.cluster, decisions, { kind: 'node', name: 'old' })).toMatchObject([
      { decisions: ['0', '1'], why: [meaning, `${WAITS}; a pod has no capacity on a ready node yet`] },
      { decisions: ['2'], why: [meaning, expect.stringContaining('canceled: no replacement in time')] },
    ]);
  });
});
