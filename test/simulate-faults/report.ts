import type { Run } from './run.ts';

/** Lines of the event log that are shown of a failed run. */
const TAIL = 60;
/** Lines about single pods, which are too many to print. */
const CHATTER = /^ *[\d.]+ {2}(?:Pod[A-Z]|(?:ingest|wake) #\d+ (?:begins|ends)$)/;

/** Findings of a failed run: the prefix of faults that it takes, the end of the log, and how to see it again. */
export function reportOf(
  { seed, provider, violation, faults, lines }: Run,
  all: number,
  draw: readonly string[] = [],
): string {
  const struck = lines.filter((line) => line.includes('  FAULT '));
  const drawn = draw.length === 0 ? '' : ` --draw ${draw.map((name) => `'${name}'`).join(' ')}`;
  const told = lines.filter((line) => !CHATTER.test(line));
  return [
    `seed ${seed}${provider === 'aws' ? '' : ` on ${provider}`}: ${violation!.invariant}`,
    `  ${violation!.what}`,
    `  The shortest prefix that fails has ${faults} of ${all} faults:`,
    ...struck.map((line) => `  ${line}`),
    `  The end of its log:`,
    ...told.slice(-TAIL).map((line) => `  ${line}`),
    `  Again: npm run simulate-faults -- --seeds 1 --seed ${seed}${provider === 'aws' ? '' : ` --provider ${provider}`}${drawn} --faults ${faults} --log`,
  ].join('\n');
}
