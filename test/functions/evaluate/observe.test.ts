import { expect, it } from 'vitest';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import type { ClusterObservation } from '../../../core/ports/cluster.ts';
import { pod } from '../../builders.ts';
import { group, times } from '../../scenario-builders.ts';
import { invocation, sqsEvent, type TestWorld, testWorld, scan, WEB } from '../test-world.ts';

/** A world whose reader adds objects to the observation. */
function readingAlso(more: Partial<ClusterObservation>): TestWorld {
  const world = testWorld({ groups: [group('a')], objects: { pods: [pod('waits')] } });
  const cluster = world.cluster(WEB)!;
  const reader = {
    ...cluster.reader,
    read: async (...asked: Parameters<typeof cluster.reader.read>) => ({
      ...(await cluster.reader.read(...asked)),
      ...more,
    }),
  };
  return { ...world, cluster: () => ({ ...cluster, reader }) };
}

/** A world whose reader has found that cached lists have some objects otherwise. */
const differingBy = (differing: number): TestWorld => readingAlso(differing > 0 ? { differing } : {});

it('objects that cached lists have had otherwise than full ones are counted, and raise the alarm', async () => {
  const world = differingBy(3);
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(world.counts.get('CachedListDifferences')).toBe(3);
  expect(world.counts.get('NeedsCorrection')).toBe(3);
  await scaleDownHandler(world)({ cluster: WEB }, invocation());
  expect(world.counts.get('CachedListDifferences')).toBe(6);
});

it('lists without differences count as nothing', async () => {
  const world = differingBy(0);
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(world.counts.has('CachedListDifferences')).toBe(false);
  expect(world.counts.get('NeedsCorrection') ?? 0).toBe(0);
});

it('objects that cannot be read are counted and logged by both evaluations, ten of them by their places', async () => {
  const rejected = times(12, (i) => ({ place: `Pod default/p${i}: spec`, expected: 'an object', found: 'a text' }));
  const world = readingAlso({ rejected });
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(world.counts.get('RejectedObjects')).toBe(12);
  const lines = world.lines.filter(({ message }) => message.startsWith('12 objects could not be read'));
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', fields: { rejected: rejected.slice(0, 10) } })]);
  await scaleDownHandler(world)({ cluster: WEB }, invocation());
  expect(world.counts.get('RejectedObjects')).toBe(24);
});

it('a limit of the cluster that cannot be read raises the alarm, and is named', async () => {
  const rejected = [
    { place: 'CapacityQuota all: spec.selector', expected: 'a label selector', found: 'x', liftsLimit: true },
  ];
  const world = readingAlso({ rejected });
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(world.counts.get('NeedsCorrection')).toBe(1);
  expect(world.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: expect.stringMatching(/^A limit of the cluster is not in force.*CapacityQuota all/) as string },
  ]);
});

it('scale-up alone remembers the sizes of the groups that it has seen', async () => {
  const world = testWorld({ groups: [group('a', { target: 3 })] });
  const seen = async () => (await world.store.load(WEB)).state.seenSizes;
  await scaleDownHandler(world)({ cluster: WEB }, invocation());
  expect(await seen()).toEqual({});
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(await seen()).toEqual({ a: 3 });
});

it('where all objects can be read, nothing is counted or logged as unreadable', async () => {
  const world = readingAlso({});
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
  expect(world.counts.has('RejectedObjects')).toBe(false);
  expect(world.lines.filter(({ message }) => message.includes('could not be read'))).toEqual([]);
});
