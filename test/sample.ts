import { hash } from 'node:crypto';
import { randomFrom } from '../core/model/values/random.ts';

/**
 * Checks that take too long for every change are made in part then, another part each time: `OUTRIGGER_SAMPLE=<seed>` draws it.
 * Without a seed everything is checked.
 */
const SEED = process.env['OUTRIGGER_SAMPLE'];

/** Some of the members, in their order. @param of what they are: draws of one seed do not depend on each other */
export const sampleOf = <T>(of: string, all: readonly T[], count: number, seed = SEED): readonly T[] =>
  seed === undefined ? all : draw(all, count, Number.parseInt(hash('sha256', `${seed} ${of}`).slice(0, 8), 16));

/** So many members that the seed draws, in their order. */
export function draw<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const random = randomFrom(seed);
  const drawn = all.map((member, index) => ({ member, index, turn: random() }));
  return drawn
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, count)
    .toSorted((a, b) => a.index - b.index)
    .map(({ member }) => member);
}

/** A number of repetitions: fewer where a part is checked. */
export const repetitions = (all: number, inPart: number, seed = SEED): number => (seed === undefined ? all : inPart);
