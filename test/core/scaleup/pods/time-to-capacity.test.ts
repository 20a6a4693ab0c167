import { expect, test } from 'vitest';
import { addTime, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { timesToCapacity } from '../../../../core/scaleup/pods/time-to-capacity.ts';
import { NO_OBJECTS } from '../../../../core/model/scenario.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { node, pod } from '../../../builders.ts';
import { NOW, times } from '../../../scenario-builders.ts';

const READY = epochMs(NOW - minutes(1));
const created = (before: number) => epochMs(READY - before);
const of = (pods: readonly Pod[], after = epochMs(NOW - minutes(2)), until = NOW) =>
  timesToCapacity(
    {
      objects: {
        ...NO_OBJECTS,
        nodes: [
          node('new', {}, { conditions: [{ type: 'Ready', status: 'True', reason: '', since: READY }] }),
          node('old', {}, { conditions: [{ type: 'Ready', status: 'True', reason: '', since: epochMs(0) }] }),
          node('starting', {}, { conditions: [{ type: 'Ready', status: 'False', reason: '', since: READY }] }),
        ],
        pods,
      },
    },
    after,
    until,
  );

test('is the time from the creation of each pod to the readiness of its node, ascending', () => {
  const pods = [
    pod('b', { node: 'new', createdAt: created(90_000) }),
    pod('a', { node: 'new', createdAt: created(60_000) }),
  ];
  expect(of(pods)).toEqual([60_000, 90_000]);
});

test('is not that of pods that came later, that wait, that have an older node or one that is not ready', () => {
  const later = pod('later', { node: 'new', createdAt: addTime(READY, seconds(1)) });
  const waits = pod('waits', { createdAt: created(60_000) });
  const others = ['old', 'starting'].map((name) => pod(name, { node: name, createdAt: created(60_000) }));
  expect(of([later, waits, ...others])).toEqual([]);
});

test('is not that of pods that come with every node', () => {
  const daemon = pod('agent', { node: 'new', createdAt: created(5_000), owner: 'DaemonSet/agent' });
  const mirror = pod('proxy', {
    node: 'new',
    createdAt: created(5_000),
    annotations: { 'kubernetes.io/config.mirror': 'x' },
  });
  expect(of([daemon, mirror])).toEqual([]);
});

test('counts each node once, by the time of its readiness', () => {
  const pods = [pod('a', { node: 'new', createdAt: created(60_000) })];
  expect(of(pods, epochMs(READY - 1), READY)).toEqual([60_000]);
  expect(of(pods, READY, NOW)).toEqual([]);
  expect(of(pods, epochMs(READY - minutes(1)), epochMs(READY - 1))).toEqual([]);
});

test('of many pods it is a hundred, with the shortest and the longest', () => {
  const pods = times(1_001, (i) => pod(`p${i}`, { node: 'new', createdAt: created((i + 1) * 1_000) }));
  const sample = of(pods);
  expect(sample).toHaveLength(100);
  expect([sample[0], sample[49], sample.at(-1)]).toEqual([1_000, 496_000, 1_001_000]);
});
