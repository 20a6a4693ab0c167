import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Evaluation } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import {
  type EvaluationSummary,
  type ClusterSummary,
  detectIdle,
  type IdleRecord,
  idleRecordAfter,
  type StoredForIdleCheck,
} from '../../../core/wakeups/idle-detection.ts';
import { node, pod } from '../../builders.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { intentOf } from '../../providers/state-store.contract.ts';
import { group, NOW, running, scenario as scenarioOf, type ScenarioGiven } from '../../scenario-builders.ts';

const PARTS = ['ScaleUp', 'ScaleDown'] as const;

/** Two nodes of 4 cpu, each with a pod that takes most of it. */
const cluster = (given: ScenarioGiven = {}): Scenario =>
  scenarioOf({
    groups: [group('a', { nodes: ['n1', 'n2'] })],
    nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
    pods: ['n1', 'n2'].map((name) => pod(`on-${name}`, { node: name, requests: { cpu: 3 }, owner: 'ReplicaSet/web' })),
    ...given,
  });

const paused = (until: EpochMs | null): Scenario => ({
  ...cluster(),
  pauses: [{ part: 'All', group: null, until, cancelDrains: false, source: 'Command' }],
});

const summaryOf = ({ objects, nodeGroups }: Scenario): ClusterSummary => ({
  objects: {
    waiting: objects.pods.some(({ nodeName: name }) => name === null),
    nodes: objects.nodes.length,
    pods: objects.pods.length,
  },
  groups: nodeGroups,
});

function look(evaluation: Evaluation, scenario: Scenario, given: Partial<EvaluationSummary> = {}): EvaluationSummary {
  const decision = evaluation === 'ScaleUp' ? evaluateScaleUp(scenario) : evaluateScaleDown(scenario);
  const stored: StoredForIdleCheck = { state: decision.state, intents: [], drains: [] };
  return {
    evaluation,
    startedAt: NOW,
    summary: summaryOf(scenario),
    stored,
    scenario,
    decision,
    cleansNodes: false,
    ...given,
  };
}

/** The next scan, a minute after a full look at an idle cluster. */
function scanAfter(
  evaluation: Evaluation,
  given: { summary?: ClusterSummary | null; stored?: Partial<StoredForIdleCheck>; after?: number } = {},
): string {
  const scenario = cluster();
  const full = look(evaluation, scenario);
  const rest = idleRecordAfter(full)!;
  const { summary = summaryOf(scenario), stored, after = 60 } = given;
  const verdict = detectIdle(rest, {
    evaluation,
    startedAt: addTime(NOW, seconds(after)),
    summary,
    stored: { ...full.stored, ...stored },
  });
  return verdict.kind === 'idle' ? verdict.kind : verdict.because;
}

const summarized = (change: (of: ClusterSummary) => ClusterSummary) => change(summaryOf(cluster()));
const withObjects = (objects: Partial<ClusterSummary['objects']>) =>
  summarized((of) => ({ ...of, objects: { ...of.objects, ...objects } }));
const withGroup = (change: Partial<ClusterSummary['groups'][number]>) =>
  summarized((of) => ({ ...of, groups: of.groups.map((one) => ({ ...one, ...change })) }));
const stateWith = (change: Partial<State>) => ({ stored: { state: { ...cluster().state, ...change } } });
const drain = { drain: drainOf('n1'), attempt: 1, drivenUntil: NOW, revision: 1 };

describe('a scan of an idle cluster', () => {
  it.each<[name: string, up: string, down: string, given?: Parameters<typeof scanAfter>[1]]>([
    ['nothing has changed', 'idle', 'idle'],
    [
      'evaluations have written their times',
      'idle',
      'idle',
      stateWith({ lastEvaluation: NOW, lastScaleUpEvaluation: NOW }),
    ],
    ['the interval is nearly over', 'idle', 'idle', { after: 299 }],
    ['the interval is over', 'Due', 'Due', { after: 300 }],
    ['the clock was set back', 'Due', 'Due', { after: -1 }],
    ['no change check was to be had', 'NotSeen', 'NotSeen', { summary: null }],
    ['a pod may want a node', 'PodsPending', 'Changed', { summary: withObjects({ waiting: true }) }],
    ['there is a pod more', 'idle', 'Changed', { summary: withObjects({ pods: 3 }) }],
    ['there is a pod less', 'idle', 'Changed', { summary: withObjects({ pods: 1 }) }],
    ['a node has gone', 'Changed', 'Changed', { summary: withObjects({ nodes: 1 }) }],
    ['the target of a group was raised', 'Changed', 'idle', { summary: withGroup({ targetSize: 3 }) }],
    ['the minimum of a group was raised', 'Changed', 'idle', { summary: withGroup({ minSize: 3 }) }],
    ['the maximum of a group was lowered', 'Changed', 'idle', { summary: withGroup({ maxSize: 1 }) }],
    [
      'an option of a group was changed',
      'Changed',
      'idle',
      { summary: withGroup({ options: { scaleDownUtilizationThreshold: 0.9 } }) },
    ],
    [
      'an instance was replaced',
      'Changed',
      'idle',
      { summary: withGroup({ instances: [running('i-a-0', 'n1'), running('i-other', 'n2')] }) },
    ],
    [
      'an instance is ending',
      'Changed',
      'idle',
      { summary: withGroup({ instances: [running('i-a-0', 'n1'), { ...running('i-a-1', 'n2'), state: 'Deleting' }] }) },
    ],
    [
      'a group is new',
      'Changed',
      'idle',
      { summary: summarized((of) => ({ ...of, groups: [...of.groups, group('b')] })) },
    ],
    ['an intent is there', 'UnderWay', 'UnderWay', { stored: { intents: [intentOf(1, 'a')] } }],
    ['a drain is there', 'UnderWay', 'UnderWay', { stored: { drains: [drain] } }],
    [
      'another evaluation has remembered something',
      'Changed',
      'Changed',
      stateWith({ unremovableUntil: { [nodeName('n1')]: NOW } }),
    ],
  ])('%s', (_, up, down, given) => {
    expect([scanAfter('ScaleUp', given), scanAfter('ScaleDown', given)]).toEqual([up, down]);
  });

  it('is a full evaluation where none has found it idle', () => {
    const { stored, summary } = look('ScaleUp', cluster());
    expect(detectIdle(null, { evaluation: 'ScaleUp', startedAt: NOW, summary, stored })).toEqual({
      kind: 'evaluate',
      because: 'NotIdle',
    });
  });
});

describe('a full evaluation', () => {
  const failed = { until: addTime(NOW, minutes(5)), duration: minutes(5), lastFailure: NOW, class: 'Quota' } as const;
  const removalTaint = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' } as const;
  const marked = (taint: typeof removalTaint) =>
    cluster({
      nodes: [node('n1', { cpu: 4, memory: '16Gi' }, { taints: [taint] }), node('n2', { cpu: 4, memory: '16Gi' })],
    });
  const waiting = pod('waiting', { requests: { cpu: 2 }, owner: 'ReplicaSet/web' });
  const idle = cluster({ pods: [pod('small', { node: 'n1', requests: { cpu: 3 }, owner: 'ReplicaSet/web' })] });

  it.each<[name: string, scenario: Scenario, rests: readonly Evaluation[], given?: Partial<EvaluationSummary>]>([
    ['nothing is to be done', cluster(), PARTS],
    ['a pod waits that gets a node', cluster({ pods: [...cluster().objects.pods, waiting] }), []],
    ['a node is unneeded', idle, ['ScaleUp']],
    [
      'scale-down is off, though a node is idle',
      { ...idle, options: { ...idle.options, scaleDownEnabled: false } },
      PARTS,
    ],
    [
      'a group has a target that was not reached yet',
      cluster({ groups: [group('a', { nodes: ['n1', 'n2'], target: 3 })] }),
      ['ScaleDown'],
    ],
    [
      'an instance has not become a node',
      cluster({
        groups: [
          group('a', {
            nodes: ['n1', 'n2'],
            target: 3,
            instances: [running('i-a-0', 'n1'), running('i-a-1', 'n2'), { ...running('i-new', 'n1'), node: null }],
          }),
        ],
      }),
      ['ScaleDown'],
    ],
    ['a group is in backoff', cluster({ state: { backoff: { [groupName('a')]: failed } } }), ['ScaleDown']],
    ['a pause ends by itself', paused(addTime(NOW, minutes(60))), PARTS],
    ['a pause has no end', paused(null), ['ScaleDown']],
    ['another autoscaler removes a node', marked(removalTaint), ['ScaleDown']],
    ['a soft taint is to come off', cluster(), ['ScaleUp'], { cleansNodes: true }],
    [
      'an intent was not done',
      cluster(),
      [],
      { stored: { state: cluster().state, intents: [intentOf(1, 'a')], drains: [] } },
    ],
    ['a drain was there', cluster(), [], { stored: { state: cluster().state, intents: [], drains: [drain] } }],
    ['no change check was to be had', cluster(), [], { summary: null }],
    ['every scan is to be one', cluster({ options: { idleEvaluationInterval: seconds(0) } }), []],
    [
      'a part has failed',
      cluster(),
      [],
      {
        decision: {
          ...evaluateScaleDown(cluster()),
          unexpectedErrors: [{ during: 'ScaleDown', message: 'odd', stack: '' }],
        },
      },
    ],
  ])('is followed by rest or not where %s', (_, scenario, rests, given) => {
    const resting = PARTS.filter((evaluation) => idleRecordAfter(look(evaluation, scenario, given)) !== null);
    expect(resting).toEqual(rests);
  });

  it('is followed by one that tries a node again as soon as its time is over', () => {
    const state = { unremovableUntil: { [nodeName('n1')]: addTime(NOW, minutes(2)) } };
    const full = look('ScaleDown', cluster({ state }));
    const { decision } = full;
    const until = (remembered: Partial<State>): IdleRecord['until'] =>
      idleRecordAfter({ ...full, decision: { ...decision, state: { ...decision.state, ...remembered } } })!.until;
    expect(until(state)).toBe(addTime(NOW, minutes(2)));
    expect(until({ unremovableUntil: {} })).toBe(addTime(NOW, minutes(5)));
  });

  it('remembers the groups as it saw them: a change check may have shown newer ones', () => {
    const full = look('ScaleUp', cluster(), { summary: withGroup({ targetSize: 3 }) });
    const verdict = detectIdle(idleRecordAfter(full), {
      evaluation: 'ScaleUp',
      startedAt: epochMs(NOW + 60_000),
      summary: withGroup({ targetSize: 3 }),
      stored: full.stored,
    });
    expect(verdict).toEqual({ kind: 'evaluate', because: 'Changed' });
  });
});
