/**
 * `npm run simulate-hostile -- --cases N [--seed S]`: puts objects at the limits of what the API server accepts beside an
 * ordinary workload, runs evaluations and drains, and checks what must hold. See docs/hostile-objects.md.
 */
import type { Done, Task } from './worker.ts';
import { positive, toolCommand, wholeNumber } from '../tool-command.ts';
import { inWorkers } from '../../cli/workers.ts';

const WORKER = new URL('worker.ts', import.meta.url);
/** Cases that a worker runs before it reports. */
const BATCH = 50;
const PROGRESS_EVERY = 1_000;
/** Failures that are shown: of more only the number is told. */
const SHOWN = 5;

interface Flags {
  readonly cases: number;
  readonly seed: number;
}

await toolCommand(
  'simulate-hostile',
  'Run evaluations and drains beside objects at the limits of what an API server accepts',
)
  .option('--cases <number>', 'number of cases', positive, 2_000)
  .option('--seed <number>', 'seed of the first case; the others follow it', wholeNumber, 1)
  .action(async (flags: Flags) => {
    process.exitCode = await simulate(flags);
  })
  .parseAsync();

async function simulate({ cases, seed }: Flags): Promise<number> {
  const start = performance.now();
  let done = 0;
  let failed = 0;
  const tasks = Array.from({ length: Math.ceil(cases / BATCH) }, (_, i): Task => {
    const count = Math.min(BATCH, cases - i * BATCH);
    return { first: seed + i * BATCH, count };
  });
  const onDone = ({ count, failures }: Done): void => {
    for (const { report } of failures) {
      failed += 1;
      if (failed <= SHOWN) {
        process.stdout.write(`\n${report}\n\n`);
      }
    }
    if (Math.floor((done + count) / PROGRESS_EVERY) > Math.floor(done / PROGRESS_EVERY)) {
      process.stdout.write(`${done + count} of ${cases} cases, ${failed} failed\n`);
    }
    done += count;
  };
  await inWorkers(WORKER, tasks, { nameOf, onDone });
  const seconds = (performance.now() - start) / 1_000;
  process.stdout.write(
    `${cases} cases from seed ${seed}: ${failed} failed; ${seconds.toFixed(0)} s, ${((1_000 * seconds) / cases).toFixed(1)} s for 1000\n`,
  );
  return failed === 0 ? 0 : 1;
}

function nameOf({ first, count }: Task): string {
  return `simulate-hostile: one of the seeds ${first} to ${first + count - 1}`;
}
