import { describe, expect, test } from 'vitest';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { State } from '../../core/model/state.ts';
import { addTime, minutes } from '../../core/model/values/time.ts';
import { dryRunOf } from '../../core/actuation/commit/dry-run-state.ts';
import { evaluate } from '../../core/evaluate.ts';
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { invocation, sqsEvent, testWorld, type TestWorld, scan, WEB } from '../functions/test-world.ts';
import { NOW, scenario } from '../scenario-builders.ts';
import { CLUSTER, FILLED, OPTIONS } from './filled-state.ts';

type Field = keyof State;

/** The fields that an evaluation of an unchanged cluster writes anew, with what it writes. */
const CHANGED_BY = {
  // The time of the evaluation itself.
  'scale-up': { lastScaleUpEvaluation: NOW },
  'scale-down': { lastEvaluation: NOW },
} as const satisfies Record<string, Partial<State>>;

const EVALUATIONS = {
  'scale-up': (world: TestWorld) => scaleUpHandler(world)(sqsEvent(scan), invocation()),
  'scale-down': (world: TestWorld) => scaleDownHandler(world)({ cluster: WEB }, invocation()),
};
type Name = keyof typeof EVALUATIONS;
const NAMES = Object.keys(EVALUATIONS) as readonly Name[];

/** The cluster's world, with the state stored under each of these names. */
async function worldWith(state: State, { names = [WEB], dryRun = false } = {}): Promise<TestWorld> {
  const world = testWorld({ groups: CLUSTER.groups, objects: CLUSTER.objects, options: OPTIONS, dryRun });
  await world.drains.create(WEB, { drain: CLUSTER.drain, attempt: 1, drivenUntil: addTime(NOW, minutes(5)) });
  const commit = { expectedVersion: 0, now: NOW, state, intents: [], settled: [], decision: evaluate(scenario({})) };
  await Promise.all(names.map((name) => world.store.commit(name, commit)));
  return world;
}

const stored = async ({ store }: TestWorld, name: ClusterName = WEB): Promise<State> => (await store.load(name)).state;

describe.each(NAMES)('an evaluation of %s of an unchanged cluster', (name) => {
  const evaluated = async (): Promise<TestWorld> => {
    const world = await worldWith(FILLED);
    await EVALUATIONS[name](world);
    return world;
  };
  const expected: State = {
    ...FILLED,
    ...CHANGED_BY[name],
    // It has time for all pods.
    ...(name === 'scale-up' && { deferredPods: undefined }),
  };

  test('is committed, and decides nothing', async () => {
    const world = await evaluated();
    expect(await world.store.load(WEB)).toMatchObject({ version: 2, intents: [] });
  });

  test.each(Object.keys(FILLED) as readonly Field[])('writes %s as it was', async (field) => {
    expect((await stored(await evaluated()))[field]).toEqual(expected[field]);
  });

  test('in a dry run keeps the timers of the dry run, and leaves the state of the cluster alone', async () => {
    const own = dryRunOf(WEB);
    const world = await worldWith(FILLED, { names: [WEB, own], dryRun: true });
    await EVALUATIONS[name](world);
    expect(await stored(world)).toEqual(FILLED);
    const { unneededSince, unremovableUntil, unregisteredSince, incorrectSize, problems } = FILLED;
    expect(await stored(world, own)).toMatchObject({
      unneededSince,
      unremovableUntil,
      unregisteredSince,
      incorrectSize,
      problems,
      ...CHANGED_BY[name],
    });
  });
});
