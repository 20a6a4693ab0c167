import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Evaluation } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import {
  type EvaluationSummary,
  type Glance,
  judgeTick,
  type Rest,
  restAfter,
  type StoredForRest,
} from '../../../core/wakeups/rest.ts';
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

const glanceOf = ({ objects, nodeGroups }: Scenario): Glance => ({
  objects: {
    waiting: objects.pods.some(({ nodeName: name }) => name === null),
    nodes: objects.nodes.length,
    pods: objects.pods.length,
  },
  groups: nodeGroups,
});

function look(evaluation: Evaluation, scenario: Scenario, given: Partial<EvaluationSummary> = {}): EvaluationSummary {
  const decision = evaluation === 'ScaleUp' ? evaluateScaleUp(scenario) : evaluateScaleDown(scenario);
  const stored: StoredForRest = { state: decision.state, intents: [], drains: [] };
  return {
    evaluation,
    startedAt: NOW,
    glance: glanceOf(scenario),
    stored,
    scenario,
    decision,
    cleansNodes: false,
    ...given,
  };
}

/** The next tick, a minute after a full look at a cluster at rest. */
function tickAfter(
  evaluation: Evaluation,
  given: { glance?: Glance | null; stored?: Partial<StoredForRest>; after?: number } = {},
): string {
  const scenario = cluster();
  const full = look(evaluation, scenario);
  const rest = restAfter(full)!;
  const { glance = glanceOf(scenario), stored, after = 60 } = given;
  const verdict = judgeTick(rest, {
    evaluation,
    startedAt: addTime(NOW, seconds(after)),
    glance,
    stored: { ...full.stored, ...stored },
  });
  return verdict.kind === 'at rest' ? verdict.kind : verdict.because;
}

const glanced = (change: (of: Glance) => Glance) => change(glanceOf(cluster()));
const withObjects = (objects: Partial<Glance['objects']>) =>
  glanced((of) => ({ ...of, objects: { ...of.objects, ...objects } }));
const withGroup = (change: Partial<Glance['groups'][number]>) =>
  glanced((of) => ({ ...of, groups: of.groups.map((one) => ({ ...one, ...change })) }));
const stateWith = (change: Partial<State>) => ({ stored: { state: { ...cluster().state, ...change } } });
const drain = { drain: drainOf('n1'), attempt: 1, drivenUntil: NOW, revision: 1 };

describe('a tick of a cluster at rest', () => {
  it.each<{ name: string; up: string; down: string; given?: Parameters<typeof tickAfter>[1] }>([
    { name: 'nothing has changed', up: 'at rest', down: 'at rest' },
    {
      name: 'evaluations have written their times',
      up: 'at rest',
      down: 'at rest',
      given: stateWith({ lastEvaluation: NOW, lastScaleUpEvaluation: NOW }),
    },
    { name: 'the interval is nearly over', up: 'at rest', down: 'at rest', given: { after: 299 } },
    { name: 'the interval is over', up: 'Due', down: 'Due', given: { after: 300 } },
    { name: 'the clock was set back', up: 'Due', down: 'Due', given: { after: -1 } },
    { name: 'no glance was to be had', up: 'NotSeen', down: 'NotSeen', given: { glance: null } },
    {
      name: 'a pod may want a node',
      up: 'PodsWait',
      down: 'Changed',
      given: { glance: withObjects({ waiting: true }) },
    },
    { name: 'there is a pod more', up: 'at rest', down: 'Changed', given: { glance: withObjects({ pods: 3 }) } },
    { name: 'there is a pod less', up: 'at rest', down: 'Changed', given: { glance: withObjects({ pods: 1 }) } },
    { name: 'a node has gone', up: 'Changed', down: 'Changed', given: { glance: withObjects({ nodes: 1 }) } },
    {
      name: 'the target of a group was raised',
      up: 'Changed',
      down: 'at rest',
      given: { glance: withGroup({ targetSize: 3 }) },
    },
    {
      name: 'the minimum of a group was raised',
      up: 'Changed',
      down: 'at rest',
      given: { glance: withGroup({ minSize: 3 }) },
    },
    {
      name: 'the maximum of a group was lowered',
      up: 'Changed',
      down: 'at rest',
      given: { glance: withGroup({ maxSize: 1 }) },
    },
    {
      name: 'an option of a group was changed',
      up: 'Changed',
      down: 'at rest',
      given: { glance: withGroup({ options: { scaleDownUtilizationThreshold: 0.9 } }) },
    },
    {
      name: 'an instance was replaced',
      up: 'Changed',
      down: 'at rest',
      given: { glance: withGroup({ instances: [running('i-a-0', 'n1'), running('i-other', 'n2')] }) },
    },
    {
      name: 'an instance is ending',
      up: 'Changed',
      down: 'at rest',
      given: {
        glance: withGroup({ instances: [running('i-a-0', 'n1'), { ...running('i-a-1', 'n2'), state: 'Deleting' }] }),
      },
    },
    {
      name: 'a group is new',
      up: 'Changed',
      down: 'at rest',
      given: { glance: glanced((of) => ({ ...of, groups: [...of.groups, group('b')] })) },
    },
    {
      name: 'an intent is there',
      up: 'UnderWay',
      down: 'UnderWay',
      given: { stored: { intents: [intentOf(1, 'a')] } },
    },
    { name: 'a drain is there', up: 'UnderWay', down: 'UnderWay', given: { stored: { drains: [drain] } } },
    {
      name: 'another evaluation has remembered something',
      up: 'Changed',
      down: 'Changed',
      given: stateWith({ unremovableUntil: { [nodeName('n1')]: NOW } }),
    },
  ])('$name', ({ up, down, given }) => {
    expect([tickAfter('ScaleUp', given), tickAfter('ScaleDown', given)]).toEqual([up, down]);
  });

  it('is a full evaluation where none has found it at rest', () => {
    const { stored, glance } = look('ScaleUp', cluster());
    expect(judgeTick(null, { evaluation: 'ScaleUp', startedAt: NOW, glance, stored })).toEqual({
      kind: 'evaluate',
      because: 'NotAtRest',
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

  it.each<{ name: string; scenario: Scenario; given?: Partial<EvaluationSummary>; rests: readonly Evaluation[] }>([
    { name: 'nothing is to be done', scenario: cluster(), rests: PARTS },
    {
      name: 'a pod waits that gets a node',
      scenario: cluster({ pods: [...cluster().objects.pods, waiting] }),
      rests: [],
    },
    { name: 'a node is unneeded', scenario: idle, rests: ['ScaleUp'] },
    {
      name: 'scale-down is off, though a node is idle',
      scenario: { ...idle, options: { ...idle.options, scaleDownEnabled: false } },
      rests: PARTS,
    },
    {
      name: 'a group has a target that was not reached yet',
      scenario: cluster({ groups: [group('a', { nodes: ['n1', 'n2'], target: 3 })] }),
      rests: ['ScaleDown'],
    },
    {
      name: 'an instance has not become a node',
      scenario: cluster({
        groups: [
          group('a', {
            nodes: ['n1', 'n2'],
            target: 3,
            instances: [running('i-a-0', 'n1'), running('i-a-1', 'n2'), { ...running('i-new', 'n1'), node: null }],
          }),
        ],
      }),
      rests: ['ScaleDown'],
    },
    {
      name: 'a group is in backoff',
      scenario: cluster({ state: { backoff: { [groupName('a')]: failed } } }),
      rests: ['ScaleDown'],
    },
    { name: 'a pause ends by itself', scenario: paused(addTime(NOW, minutes(60))), rests: PARTS },
    { name: 'a pause has no end', scenario: paused(null), rests: ['ScaleDown'] },
    { name: 'another autoscaler removes a node', scenario: marked(removalTaint), rests: ['ScaleDown'] },
    { name: 'a soft taint is to come off', scenario: cluster(), given: { cleansNodes: true }, rests: ['ScaleUp'] },
    {
      name: 'an intent was not done',
      scenario: cluster(),
      given: { stored: { state: cluster().state, intents: [intentOf(1, 'a')], drains: [] } },
      rests: [],
    },
    {
      name: 'a drain was there',
      scenario: cluster(),
      given: { stored: { state: cluster().state, intents: [], drains: [drain] } },
      rests: [],
    },
    { name: 'no glance was to be had', scenario: cluster(), given: { glance: null }, rests: [] },
    {
      name: 'every tick is to be one',
      scenario: cluster({ options: { idleEvaluationInterval: seconds(0) } }),
      rests: [],
    },
    {
      name: 'a part has failed',
      scenario: cluster(),
      given: {
        decision: {
          ...evaluateScaleDown(cluster()),
          unexpectedErrors: [{ during: 'ScaleDown', message: 'odd', stack: '' }],
        },
      },
      rests: [],
    },
  ])('is followed by rest or not where $name', ({ scenario, given, rests }) => {
    const resting = PARTS.filter((evaluation) => restAfter(look(evaluation, scenario, given)) !== null);
    expect(resting).toEqual(rests);
  });

  it('is followed by one that tries a node again as soon as its time is over', () => {
    const state = { unremovableUntil: { [nodeName('n1')]: addTime(NOW, minutes(2)) } };
    const full = look('ScaleDown', cluster({ state }));
    const { decision } = full;
    const until = (remembered: Partial<State>): Rest['until'] =>
      restAfter({ ...full, decision: { ...decision, state: { ...decision.state, ...remembered } } })!.until;
    expect(until(state)).toBe(addTime(NOW, minutes(2)));
    expect(until({ unremovableUntil: {} })).toBe(addTime(NOW, minutes(5)));
  });

  it('remembers the groups as it saw them: a glance may have shown newer ones', () => {
    const full = look('ScaleUp', cluster(), { glance: withGroup({ targetSize: 3 }) });
    const verdict = judgeTick(restAfter(full), {
      evaluation: 'ScaleUp',
      startedAt: epochMs(NOW + 60_000),
      glance: withGroup({ targetSize: 3 }),
      stored: full.stored,
    });
    expect(verdict).toEqual({ kind: 'evaluate', because: 'Changed' });
  });
});
