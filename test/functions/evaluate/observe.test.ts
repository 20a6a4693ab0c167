import { expect, it } from 'vitest';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { pod } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { invocation, sqsEvent, type TestWorld, testWorld, tick, WEB } from '../test-world.ts';

/** A world whose reader has found that kept lists have some objects otherwise. */
function differingBy(differing: number): TestWorld {
  const world = testWorld({ groups: [group('a')], objects: { pods: [pod('waits')] } });
  const cluster = world.cluster(WEB)!;
  const reader = {
    ...cluster.reader,
    read: async (...asked: Parameters<typeof cluster.reader.read>) => ({
      ...(await cluster.reader.read(...asked)),
      ...(differing > 0 && { differing }),
    }),
  };
  return { ...world, cluster: () => ({ ...cluster, reader }) };
}

it('objects that kept lists have had otherwise than full ones are counted, and raise the alarm', async () => {
  const world = differingBy(3);
  await scaleUpHandler(world)(sqsEvent(tick), invocation());
  expect(world.counts.get('KeptListDifferences')).toBe(3);
  expect(world.counts.get('NeedsCorrection')).toBe(3);
  await scaleDownHandler(world)({ cluster: WEB }, invocation());
  expect(world.counts.get('KeptListDifferences')).toBe(6);
});

it('lists without differences count as nothing', async () => {
  const world = differingBy(0);
  await scaleUpHandler(world)(sqsEvent(tick), invocation());
  expect(world.counts.has('KeptListDifferences')).toBe(false);
  expect(world.counts.get('NeedsCorrection') ?? 0).toBe(0);
});
