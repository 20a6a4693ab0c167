import { describe, expect, test } from 'vitest';
import { TO_BE_DELETED_TAINT } from '../../core/model/cluster/node.ts';
import { NO_CHANGE } from '../../core/model/cluster/node-change.ts';
import { addTime, seconds } from '../../core/model/values/time.ts';
import type { Span } from '../../providers/simulated/chance.ts';
import { deployment, scalingGroup, testWorld, withClock } from '../providers/simulated/builders.ts';
import { conflicting, readingInPart } from './cluster-faults.ts';
import type { FaultKind, FaultSource } from './fault-source.ts';

/** Strikes each time at this kind, drawing these numbers. */
const striking = (kind: FaultKind, next: number, within: number): FaultSource =>
  ({
    strike: (given, _often, pick) =>
      given === kind ? pick({ next: () => next, within: ({ max }: Span) => Math.min(max, within) } as never) : null,
  }) as Pick<FaultSource, 'strike'> as FaultSource;

async function worldWithNode() {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
  world.controllers.apply(deployment('web', 1, { cpu: 1 }));
  await world.pass(20);
  const [node] = world.api.nodes.values();
  return { world, node: node! };
}

describe('a node that others change at the same time', () => {
  const CHANGE = { ...NO_CHANGE, addTaints: [{ key: TO_BE_DELETED_TAINT, value: '1', effect: 'NoSchedule' }] };
  test.each([
    [1, 'done', true],
    [8, 'done', true],
    [9, 'failed', false],
  ])('after %i conflicts the change is %s, and what the others wrote stays', async (times, kind, isTainted) => {
    const { world, node } = await worldWithNode();
    const writer = conflicting(world.writer, world, striking('write conflict', 0.9, times));
    const outcome = await withClock(world, () => writer.changeNode(node.name, node.uid, CHANGE));
    expect(outcome.kind).toBe(kind);
    const { labels, taints } = world.api.nodes.get(node.name)!;
    expect(Object.keys(labels)).toContain('example.com/touched');
    expect(taints.some(({ key }) => key === TO_BE_DELETED_TAINT)).toBe(isTainted);
  });

  test('keeps evictions from their budget for a moment', async () => {
    const { world } = await worldWithNode();
    const [pod] = world.podsOf('default/web');
    const writer = conflicting(world.writer, world, striking('write conflict', 0, 1));
    expect(await withClock(world, () => writer.evict(pod!, null))).toMatchObject({ kind: 'throttled' });
    expect(world.podsOf('default/web')).toEqual([pod]);
  });
});

describe('an object that cannot be read', () => {
  test.each([
    ['Node', 0, 'UnreadableNode', 1],
    ['Pod', 0.9, 'UnreadablePod', 0],
  ] as const)('a %s closes its node for as long as that', async (kind, next, reason, pods) => {
    const { world, node } = await worldWithNode();
    const faults = striking('unreadable object', next, 10_000);
    const part = readingInPart(world.reader, world, { faultsUntil: addTime(world.clock.now(), seconds(1)) }, faults);
    const read = () => withClock(world, () => part.reader.read());
    expect(part.closed()).toEqual(new Set());
    const { objects, rejected } = await read();
    expect(objects.nodes.map(({ name }) => name)).toEqual([node.name]);
    expect(objects.pods).toHaveLength(pods);
    expect(objects.closedNodes).toMatchObject([{ node: node.name, reason }]);
    expect(rejected).toMatchObject([{ place: expect.stringMatching(`^${kind} `) as string, closes: { reason } }]);
    expect((await withClock(world, () => part.reader.readNode(node.name))).rejected).toEqual(rejected);
    expect(part.closed()).toEqual(new Set([node.name]));
    await withClock(world, () => world.clock.sleep(seconds(2)));
    expect(part.closed()).toEqual(new Set());
    expect((await read()).objects.pods).toHaveLength(1);
  });
});
