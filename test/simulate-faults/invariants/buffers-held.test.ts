import { expect, test } from 'vitest';
import type { Drain } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { pod } from '../../builders.ts';
import { type Pool, POOL_LABEL } from '../pools.ts';
import { movingFrom, underWay } from './buffers-held.ts';

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

test('what moves with a node are the pods of the pool that want another place: those that are expendable do not', () => {
  const spec = { nodeSelector: { [POOL_LABEL]: 'blue' } };
  const pods = [
    pod('moves', { spec, node: 'a' }),
    pod('expendable', { spec: { ...spec, priority: -20 }, node: 'a' }),
    pod('finished', { spec, node: 'a', phase: 'Succeeded' }),
    pod('elsewhere', { spec, node: 'b' }),
    pod('of-another-pool', { node: 'a' }),
  ];
  const seen = { objects: { pods }, options: defaultOptions() } as unknown as Parameters<typeof movingFrom>[2];
  const pool: Pool = { name: 'blue', groups: [], units: 8 };
  expect(movingFrom(new Set([nodeName('a')]), pool, seen).map(({ name }) => name)).toEqual(['moves']);
});
