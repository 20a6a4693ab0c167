import { expect, test } from 'vitest';
import type { Drain } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { sizeIntent } from '../../scenario-builders.ts';
import { type Pool, POOL_LABEL } from '../pools.ts';
import { movingFrom, underWay, watchRoom } from './buffers-held.ts';

type Call = Parameters<typeof underWay>;

/** The removal of a node. */
const removal = (node: string) => ({ node, group: 'g', kind: 'empty', since: 0 }) as unknown as Call[0][number];

interface Case {
  readonly what: string;
  /** By the state that the decision was made from. */
  readonly counted?: boolean;
  readonly ordered?: boolean;
  /** The phase of its drain. */
  readonly drain?: Drain['phase'];
  readonly announced?: boolean;
  readonly is: boolean;
}

test.each<Case>([
  { what: 'that was refused, and is not counted any more', is: false },
  { what: 'that was refused, and still counted', counted: true, is: true },
  { what: 'that is ordered, and was forgotten', ordered: true, is: true },
  { what: 'of which the drain goes on', drain: 'Evicting', is: true },
  { what: 'of which the drain was rolled back', drain: 'RolledBack', is: false },
  { what: 'of an instance that AWS has announced to end', announced: true, is: true },
])('a removal $what is under way: $is', ({ counted = false, ordered = false, drain, announced = false, is }) => {
  const removals = [removal('a')];
  const stage = {
    orders: { open: () => (ordered ? [{ kind: 'RemoveNodes', nodes: [{ node: 'a' }] }] : []) },
    drains: () => (drain === undefined ? [] : [{ drain: { node: 'a', phase: drain } }]),
    announcements: { of: () => (announced ? [{ what: 'SpotInterruption' }] : []) },
    world: { scaling: { groups: () => [{ instances: [{ id: 'i', node: 'a' }] }] } },
  } as unknown as Call[2];
  const seen = { state: { deletionsInProgress: counted ? removals : [] } };
  expect(underWay(removals, seen, stage)).toEqual(is ? removals : []);
});

test('what moves with a node are the pods of the pool that want another place: those that are expendable, or that nothing makes anew, do not', () => {
  const spec = { nodeSelector: { [POOL_LABEL]: 'blue' } };
  const pods = [
    pod('moves', { owner: 'ReplicaSet/web', spec, node: 'a' }),
    pod('expendable', { owner: 'ReplicaSet/web', spec: { ...spec, priority: -20 }, node: 'a' }),
    pod('finished', { owner: 'ReplicaSet/web', spec, node: 'a', phase: 'Succeeded' }),
    pod('without-a-controller', { spec, node: 'a' }),
    pod('elsewhere', { owner: 'ReplicaSet/web', spec, node: 'b' }),
    pod('of-another-pool', { owner: 'ReplicaSet/web', node: 'a' }),
  ];
  const seen = { objects: { pods }, options: defaultOptions() } as unknown as Parameters<typeof movingFrom>[2];
  const pool: Pool = { name: 'blue', groups: [], units: 8 };
  expect(movingFrom(new Set([nodeName('a')]), pool, seen).map(({ name }) => name)).toEqual(['moves']);
});

/** The room of a pool whose group has an instance, launched 30 minutes ago, that has not registered. */
function roomWith({ tagged = 60, forgotten = 60, increases = 0 }): readonly number[] {
  const now = epochMs(minutes(100));
  const ago = (time: number) => epochMs(now - minutes(time));
  const view = {
    group: { name: 'a', minSize: 0, maxSize: 9, allocatable: { cpu: 4350 } },
    desired: 1,
    error: null,
    instances: [{ id: 'i-1', state: 'Running', node: null, launchedAt: ago(30) }],
  };
  const happens: ((event: object) => void)[] = [];
  const roomFor = watchRoom({
    scenario: { options: defaultOptions() },
    world: {
      provider: 'aws',
      api: { nodes: new Map(), watch: () => {}, objects: () => ({ nodes: [], closedNodes: [] }) },
      clock: { now: () => now },
      scaling: { groups: () => [view] },
      onEvent: (on: (event: object) => void) => happens.push(on),
    },
    orders: { open: () => [] },
    remembered: () => null,
    unread: () => new Set(),
    forgottenAt: () => ago(forgotten),
  } as unknown as Parameters<typeof watchRoom>[0]);
  happens.forEach((on) => on({ kind: 'Tagged', group: 'a', at: ago(tagged) }));
  const intents = Array.from({ length: increases }, (_, i) => ({
    ...sizeIntent('a', 1 + i, 2 + i),
    createdAt: ago(1),
  }));
  const pool = { name: 'blue', groups: ['a'], units: 8 } as unknown as Pool;
  return roomFor({ pool, units: 1, pods: 0 }, [], { intents }).room;
}

test.each([
  { what: 'that has been waited for too long', room: [] },
  { what: 'of a group that was discovered again lately', of: { tagged: 10 }, room: [8] },
  { what: 'of a group that was discovered again long ago', of: { tagged: 20 }, room: [] },
  { what: 'of which all was forgotten lately', of: { forgotten: 10 }, room: [8] },
])('an instance $what has room of $room', ({ of = {}, room }) => {
  expect(roomWith(of)).toEqual(room);
});

test('the increases that are told of have their room', () => {
  expect(roomWith({ increases: 2 })).toEqual([8, 8]);
});
