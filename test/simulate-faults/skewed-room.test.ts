import { expect, test } from 'vitest';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ZoneSkew } from './pools.ts';
import { type Bought, boughtInVain, helps, mayCome, placeable, wouldHelp, type Zones } from './skewed-room.ts';

const A = { pods: 0, room: 8 };

/** Puts one pod after the other into any zone that has room and takes it, until none does. */
function placedAtRandom(zones: Zones, skew: ZoneSkew, seed: number): number {
  const chance = chanceFor(seed, 'order');
  const now = new Map(zones);
  for (let placed = 0; ; placed += 1) {
    const open = [...now.keys()].filter((zone) => now.get(zone)!.room > 0 && mayCome(zone, now, skew));
    if (open.length === 0) {
      return placed;
    }
    const zone = open[chance.within({ min: 0, max: open.length - 1 })]!;
    const { pods, room } = now.get(zone)!;
    now.set(zone, { pods: pods + 1, room: room - 1 });
  }
}

test('as many pods can be placed in zones as any order places', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const chance = chanceFor(seed, 'zones');
    const zones: Zones = new Map(
      ['a', 'b', 'c']
        .slice(0, chance.within({ min: 1, max: 3 }))
        .map((zone) => [zone, { pods: chance.within({ min: 0, max: 5 }), room: chance.within({ min: 0, max: 6 }) }]),
    );
    const skew = {
      maxSkew: chance.within({ min: 1, max: 3 }),
      minDomains: [null, 2, 3][chance.within({ min: 0, max: 2 })]!,
    };
    expect(placedAtRandom(zones, skew, seed)).toBe(placeable(zones, skew));
  }
});

const inZone = (zone: string, nodes: number): Bought => ({
  group: { name: zone, zones: [zone] } as unknown as Bought['group'],
  nodes,
  units: 8,
});

test.each<{ what: string; zones: Zones; bought: readonly Bought[]; waiting: number; minDomains?: number; is: boolean }>(
  [
    { what: 'where there is room', zones: new Map([['a', A]]), bought: [inZone('a', 1)], waiting: 8, is: false },
    { what: 'where one more waits', zones: new Map([['a', A]]), bought: [inZone('a', 1)], waiting: 9, is: true },
    {
      what: 'in a zone beside an empty one that is full',
      zones: new Map([
        ['a', A],
        ['b', { pods: 0, room: 0 }],
      ]),
      bought: [inZone('a', 1)],
      waiting: 20,
      is: false,
    },
    {
      what: 'of too few zones',
      zones: new Map([['a', A]]),
      bought: [inZone('a', 1)],
      waiting: 20,
      minDomains: 2,
      is: false,
    },
    {
      what: 'that comes with one of the zone that is missing',
      zones: new Map([['a', { pods: 0, room: 0 }]]),
      bought: [inZone('a', 1), inZone('b', 1)],
      waiting: 20,
      minDomains: 2,
      is: true,
    },
  ],
)('a node $what lets pods run: $is', ({ zones, bought, waiting, minDomains = null, is }) => {
  expect(helps(bought[0]!.group, bought, waiting, [zones], { maxSkew: 1, minDomains })).toBe(is);
});

test('what is bought in several zones is justified by one and the same view of them', () => {
  const bought = [inZone('a', 1), inZone('b', 1)];
  const seen = (a: number, b: number) => ({
    waiting: 20,
    zones: [new Map(Object.entries({ a: { pods: a, room: 0 }, b: { pods: b, room: 0 } }))],
  });
  const skew = { maxSkew: 1, minDomains: null };
  expect(boughtInVain(bought, [seen(0, 10)], skew)).toEqual([bought[1]!.group]);
  expect(boughtInVain(bought, [seen(0, 10), seen(10, 0)], skew)).toHaveLength(1);
  expect(boughtInVain(bought, [seen(0, 10), seen(0, 0)], skew)).toEqual([]);
});

test.each([
  { what: 'in the emptiest zone', zone: 'b', waiting: 9, alternatives: [{ a: A, b: { pods: 0, room: 0 } }], is: true },
  { what: 'in a fuller zone', zone: 'a', waiting: 20, alternatives: [{ a: A, b: { pods: 0, room: 0 } }], is: false },
  {
    what: 'where all have places',
    zone: 'b',
    waiting: 0,
    alternatives: [{ a: A, b: { pods: 0, room: 0 } }],
    is: false,
  },
  {
    what: 'in a zone that may have a pod already',
    zone: 'b',
    waiting: 9,
    alternatives: [{ b: { pods: 0, room: 0 } }, { b: { pods: 1, room: 0 } }],
    is: false,
  },
])('one more node $what surely lets pods run: $is', ({ zone, waiting, alternatives, is }) => {
  const zones = alternatives.map((one): Zones => new Map(Object.entries(one)));
  expect(wouldHelp(inZone(zone, 1), waiting, zones, { maxSkew: 1, minDomains: 2 })).toBe(is);
});
