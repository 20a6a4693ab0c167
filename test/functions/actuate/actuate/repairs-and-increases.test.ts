import { expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import type { Intent, SetSizeIntent } from '../../../../core/model/intent.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { createActuate } from '../../../../functions/actuate/actuate.ts';
import { group, NOW, running, scenario, sizeIntent, times } from '../../../scenario-builders.ts';
import { invocation, type TestWorld, testWorld, WEB } from '../../test-world.ts';

const decision = evaluate(scenario({}));
const INSTANCES = 20;

const common = { createdAt: NOW, status: 'pending', attempts: 0, claimedUntil: null, outcome: null } as const;
const ends = (name: string): Intent => ({
  ...common,
  id: `1-${name}`,
  kind: 'DeleteInstances',
  group: groupName(name),
  instances: times(INSTANCES, (i) => instanceId(`i-${name}-${i}`)),
  force: false,
});
const sets = (id: string, from: number, to: number): SetSizeIntent => sizeIntent('z', from, to, { id: `${id}-z` });
const broken = (name: string) =>
  group(name, { max: 100, target: INSTANCES, instances: times(INSTANCES, (i) => running(`i-${name}-${i}`, null)) });

async function commit(world: TestWorld, intents: readonly Intent[]): Promise<void> {
  const { version } = await world.store.load(WEB);
  await world.store.commit(WEB, {
    expectedVersion: version,
    now: NOW,
    state: EMPTY_STATE,
    intents,
    settled: [],
    decision,
  });
}

/** In which order intents came to their ends, and after how many instances. */
const endings = (world: TestWorld): readonly string[] =>
  world.lines.flatMap(({ fields }) => (typeof fields['intent'] === 'string' ? fields['intent'] : []));

test('a group grows before the instances of others are ended, however many groups are repaired', async () => {
  const names = times(12, (i) => `g${i}`);
  const world = testWorld({ groups: [...names.map(broken), group('z', { max: 10, target: 5 })] });
  await commit(world, [...names.map(ends), sets('1', 5, 3), sets('1.1', 3, 6)]);
  await createActuate(world)({ resume: 'web' }, invocation());
  expect(endings(world).slice(0, 2)).toEqual(['1-z', '1.1-z']);
  expect(endings(world)).toHaveLength(14);
  expect(world.groups.terminated).toHaveLength(12 * INSTANCES);
});

test('a group whose increase is decided meanwhile does not wait for the instances of another one', async () => {
  const world = testWorld({ groups: [broken('a'), group('z', { max: 10 })] });
  await commit(world, [ends('a')]);
  const terminate = world.groups.terminate.bind(world.groups);
  let grownAfter: number | null = null;
  Object.assign(world.groups, {
    terminate: async (...call: Parameters<typeof terminate>) => {
      const end = await terminate(...call);
      world.time += 400;
      const { length } = world.groups.terminated;
      if (length === 3) {
        await commit(world, [sets('2', 0, 2)]);
      }
      if (grownAfter === null && world.groups.calls.length > 0) {
        grownAfter = length;
      }
      return end;
    },
  });
  await createActuate(world)({ resume: 'web' }, invocation());
  expect(endings(world)).toEqual(['2-z', '1-a']);
  expect(grownAfter).toBeLessThan(10);
  expect(world.groups.terminated).toHaveLength(INSTANCES);
});
