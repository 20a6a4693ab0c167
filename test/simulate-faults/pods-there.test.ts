import { expect, test } from 'vitest';
import type { Pod } from '../../core/model/cluster/pod.ts';
import { NOW } from '../scenario-builders.ts';
import { pod } from '../builders.ts';
import type { Stage } from './invariants/invariant.ts';
import { watchPodsThere } from './pods-there.ts';

interface Watcher {
  readonly pod: (pod: Pod, before: Pod | null) => void;
  readonly podDeleted: (pod: Pod) => void;
}

test('pods of a workload are counted until they are asked to go, and one that is made anew at once is one', () => {
  let now = 0;
  let watcher: Watcher | null = null;
  const there = watchPodsThere({
    world: {
      api: { watch: (given: Watcher) => (watcher = given) },
      controllers: { workloadOf: () => 'default/web' },
      clock: { now: () => now },
    },
  } as unknown as Stage);
  const at = (time: number, then: (watched: Watcher) => void): void => {
    now = time;
    then(watcher!);
  };
  const [one, two, three] = ['one', 'two', 'three'].map((name) => pod(name)) as [Pod, Pod, Pod];
  at(10, ({ pod: seen }) => [one, two].forEach((each) => seen(each, null)));
  at(20, ({ pod: seen, podDeleted }) => {
    seen(three, null);
    podDeleted(two);
  });
  at(30, ({ pod: seen }) => seen({ ...one, deletedAt: NOW }, one));
  at(40, ({ podDeleted }) => podDeleted({ ...one, deletedAt: NOW }));
  expect([5, 10, 20, 29, 30, 50].map((time) => there.at('default/web', time))).toEqual([0, 2, 2, 2, 1, 1]);
  expect([there.most('default/web', 0, 50), there.most('default/web', 30, 50)]).toEqual([2, 1]);
  expect(there.at('default/other', 50)).toBe(0);
});
