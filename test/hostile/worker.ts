import { caseOfSeed, checkSeed, describeFailure } from './check.ts';
import { faultsOf } from './laws.ts';
import { answerTasks } from '../../cli/workers.ts';

/** The seeds of some cases. */
export interface Task {
  readonly first: number;
  readonly count: number;
}

/** A single case, which is not made smaller. */
export interface HostileTask {
  readonly kind: 'run';
  readonly seed: number;
}

/** Result of the cases: a report for each that fails. */
export interface Done {
  readonly count: number;
  readonly failures: readonly { readonly seed: number; readonly report: string }[];
}

answerTasks(async (task: Task | HostileTask) => ('kind' in task ? await runOne(task) : await run(task)));

async function runOne({ seed }: HostileTask): Promise<{ readonly failure: string | null }> {
  const [first] = await faultsOf(caseOfSeed(seed));
  return { failure: first?.slice(0, 150) ?? null };
}

async function run({ first, count }: Task): Promise<Done> {
  const failures: Done['failures'][number][] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const failure = await checkSeed(seed);
    if (failure !== null) {
      failures.push({ seed, report: describeFailure(failure) });
    }
  }
  return { count, failures };
}
