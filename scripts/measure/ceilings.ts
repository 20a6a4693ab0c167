import type { Figures } from './tree.ts';

/** A figure may be this much below its ceiling, as a share of it, before the ceiling has to follow. */
const SLACK = 0.03;

/** The ceilings for these figures: no figure may be greater. */
export const ceilingsFor = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value > 1_000 ? upToTen(value) : value]));

const upToTen = (value: number): number => Math.ceil(value / 10) * 10;

/** Figures that are above their ceiling or far below it, or have none, and ceilings without a figure; a sentence each. */
export function brokenCeilings(figures: Figures, ceilings: Figures): readonly string[] {
  const broken = Object.entries(figures).flatMap(([name, value]) => {
    const ceiling = ceilings[name];
    if (ceiling === undefined) {
      return [`${name}: ${value}, and no ceiling`];
    }
    if (value > ceiling) {
      return [`${name}: ${value}, above the ceiling of ${ceiling}`];
    }
    return value < ceiling * (1 - SLACK) - 1 ? [`${name}: ${value}, far below the ceiling of ${ceiling}`] : [];
  });
  const missing = Object.keys(ceilings).filter((name) => figures[name] === undefined);
  return [...broken, ...missing.map((name) => `${name}: a ceiling, and no such figure`)];
}
