import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { invocation, sqsEvent, type TestWorld, testWorld, scan, WEB } from '../test-world.ts';

type Evaluation = (world: TestWorld) => Promise<unknown>;
/** Decides with one internal error that was confined to the affected object. */
const withError =
  (decide: (scenario: Scenario) => Decision) =>
  (scenario: Scenario): Decision => {
    const error = { during: 'ScaleUp', message: 'TypeError: odd', stack: 'at odd' } as const;
    return { ...decide(scenario), unexpectedErrors: [error] };
  };
/** Decides, and finds a group whose launches fail until it is corrected, and an instance that never became a node. */
const withFindings = (scenario: Scenario): Decision => {
  const { state, registry, ...decision } = evaluateScaleUp(scenario);
  const until = addTime(scenario.now, minutes(30));
  const failure = { until, duration: minutes(30), lastFailure: scenario.now, class: 'Configuration' } as const;
  const repair = { kind: 'DeleteUnregistered', group: groupName('a'), instance: instanceId('i-late') } as const;
  return {
    ...decision,
    state: { ...state, backoff: { [groupName('c')]: failure } },
    registry: { ...registry, repairs: [repair] },
  };
};
const up: Evaluation = (world) => scaleUpHandler(world, withError(withFindings))(sqsEvent(scan), invocation());
const down: Evaluation = (world) =>
  scaleDownHandler(world, withError(evaluateScaleDown))({ cluster: WEB }, invocation());

/**
 * A cluster whose next evaluations have something of everything to say. Scale-up: a pod that needs a node of `b` and has waited for
 * long. Scale-down: an unneeded node that is to go.
 */
async function eventful(): Promise<TestWorld> {
  const world = testWorld({
    groups: [
      group('a', { nodes: ['n1', 'n2'] }),
      group('b', { labels: { pool: 'b', [INSTANCE_TYPE_LABEL]: 'm5.large' }, max: 10 }),
    ],
    objects: {
      nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [pod('large', { node: 'n2', requests: { cpu: 3 }, owner: 'ReplicaSet/web' })],
    },
  });
  for (let minute = 0; minute <= 10; minute += 1) {
    await down(world);
    world.time += minutes(1);
  }
  const waits = pod('waits', { requests: { cpu: 1 }, spec: { nodeSelector: { pool: 'b' } }, owner: 'ReplicaSet/b' });
  const unscheduled = { reason: 'Unschedulable', since: NOW } as const;
  world.objects = { ...world.objects, pods: [...world.objects.pods!, { ...waits, unscheduled }] };
  world.lines.length = 0;
  world.counts.clear();
  return world;
}

const withStore = (world: TestWorld, commit: (store: StateStore) => StateStore['commit']): TestWorld =>
  Object.assign(world, { store: { ...world.store, commit: commit(world.store) } });

/** Another evaluation is committed before the first commit. */
const contested = (world: TestWorld): TestWorld =>
  withStore(world, (store) => {
    let commits = 0;
    return async (...given) => ((commits += 1) === 1 ? { kind: 'conflict' } : await store.commit(...given));
  });

const countsOf = ({ counts }: TestWorld) => Object.fromEntries([...counts].filter(([, value]) => value !== 0));

describe.each([
  {
    what: 'scale-up',
    evaluate: up,
    counts: {
      ScaleUpNodes: 1,
      PendingPods: 1,
      Repairs: 1,
      GroupsToCorrect: 1,
      LongPendingPods: 1,
      NeedsCorrection: 2,
      PendingToDecisionMs: expect.any(Number) as number,
    },
    said: [/scale up b 0 → 1/, /could hold/, /node group c cannot launch instances/],
  },
  { what: 'scale-down', evaluate: down, counts: { UnneededNodes: 1, ScaleDownNodes: 1 }, said: [/remove n1/] },
])('a decision of $what', ({ what, evaluate, counts, said }) => {
  const errors = (times: number) => ({ UnexpectedErrors: times });

  it('is said when it stands', async () => {
    const world = await eventful();
    await evaluate(world);
    expect(countsOf(world)).toEqual({ ...counts, ...errors(1) });
    for (const words of said) {
      expect(world.lines.filter(({ message }) => words.test(message))).toHaveLength(1);
    }
  });

  it('is said to be one of a dry run where it is', async () => {
    const world = Object.assign(await eventful(), { dryRun: true });
    await evaluate(world);
    const lines = world.lines.filter(({ fields }) => 'evaluationMs' in fields);
    expect(lines.map(({ message }) => message)).toEqual([expect.stringMatching(/ \(dry run\)$/)]);
  });

  it('is said once where another one came before: what was not committed is no decision', async () => {
    const world = contested(await eventful());
    await evaluate(world);
    expect(countsOf(world)).toEqual({ ...counts, ...errors(2), VersionConflicts: 1 });
    for (const words of said) {
      expect(world.lines.filter(({ message }) => words.test(message))).toHaveLength(1);
    }
    expect(world.lines.filter(({ fields }) => 'evaluationMs' in fields)).toHaveLength(1);
  });

  it('is said where storing it fails, with the error, and counts as none', async () => {
    const error = new Error('the table is away');
    const world = withStore(await eventful(), () => () => Promise.reject(error));
    const [ended] = await Promise.allSettled([evaluate(world)]);
    expect(ended).toMatchObject(what === 'scale-up' ? { value: { batchItemFailures: [{}] } } : { reason: error });
    for (const words of said) {
      expect(world.lines.filter(({ message }) => words.test(message))).toHaveLength(1);
    }
    expect(world.lines.filter(({ fields }) => 'evaluationMs' in fields)).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/\(storing it has failed\)$/) as string,
        fields: expect.objectContaining({ error }) as object,
      },
    ]);
    const ofDecisions = new Set(['ScaleUpNodes', 'ScaleDownNodes', 'Repairs', 'PendingToDecisionMs']);
    expect(countsOf(world)).toEqual({
      ...Object.fromEntries(Object.entries(counts).filter(([name]) => !ofDecisions.has(name))),
      ...errors(1),
      ...(what === 'scale-up' && { FailedEvaluations: 1 }),
    });
  });
});

describe('the line of a decision', () => {
  it('that was stored and has nothing to tell is for debugging, of scale-down', async () => {
    const world = testWorld({ groups: [group('a')] });
    await down(world);
    expect(world.lines.filter(({ fields }) => 'evaluationMs' in fields)).toMatchObject([{ level: 'debug' }]);
  });
});
