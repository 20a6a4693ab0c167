/** Runs one benchmark and prints its row as JSON; see main.ts. */
import { BENCHMARKS } from './benchmarks.ts';
import { measure } from './measure.ts';

const name = process.argv[2]!;
process.stdout.write(JSON.stringify([await measure(name, BENCHMARKS[name]!)]));
