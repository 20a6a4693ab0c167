import type { ProviderName } from '../../core/model/provider.ts';
import { type Command, Option } from 'commander';
import { type Counts, countsInWords, summed } from './counts.ts';
import { CAPACITY_BUFFERS } from './drawn-buffers.ts';
import { PROVISIONING_REQUESTS } from './drawn-requests.ts';
import { CAPACITY_BLOCK, COMMITMENTS, OTHER_SIZES } from './drawn-groups.ts';
import { DRAWN_OPTIONS } from './drawn-options.ts';
import { NEW_ACCOUNT, NO_WEBHOOK, OLD_LISTS } from './drawn-stack.ts';
import { FAULT_KINDS, isNeverOn, patternOf } from './fault-source.ts';
import { INVARIANTS } from './invariants/all.ts';
import { summedArmings, unarmed } from './invariants/invariant.ts';
import { KINDS_OF_PODS } from './kinds.ts';
import type { Recording } from './quality/bands.ts';
import { type Batch, JUDGED_FROM } from './quality/batch.ts';
import { reportQuality } from './quality/report.ts';
import { run } from './run.ts';
import type { Done, Task } from './worker.ts';
import { ZERO_OR_MAX } from './whole-groups.ts';
import { ZONE_AFFINITY } from './zones.ts';
import { positive, toolCommand, wholeNumber } from '../tool-command.ts';
import { inWorkers } from '../../cli/workers.ts';

/** The number of failed seeds that are shrunk and shown; of the others only their number is printed. */
const SHOWN = 3;
/** Among so many runs every invariant has cases. */
const ENOUGH_SEEDS = 200;

/** Features that parts of the runs have, by name. */
const DRAWN = [
  ...DRAWN_OPTIONS,
  ...KINDS_OF_PODS,
  OTHER_SIZES,
  COMMITMENTS,
  CAPACITY_BLOCK,
  ZONE_AFFINITY,
  CAPACITY_BUFFERS,
  PROVISIONING_REQUESTS,
  ZERO_OR_MAX,
  OLD_LISTS,
];

interface Flags {
  readonly seeds: number;
  readonly seed: number;
  readonly provider: ProviderName;
  readonly faults?: number;
  readonly log: boolean;
  readonly draw: readonly string[];
  readonly recordBands: Recording | 'none';
}

/** The command that `main.ts` is. */
export function simulateFaults(): Command {
  const program = toolCommand(
    'simulate-faults',
    'Run the functions over a simulated world full of faults, and check what must hold',
  )
    .option('--seeds <number>', 'how many runs', positive, 200)
    .option('--seed <number>', 'the first seed; the others follow it', wholeNumber, 1)
    .addOption(
      new Option('--provider <provider>', 'what the node groups are').choices(['aws', 'clusterapi']).default('aws'),
    )
    .option('--faults <number>', 'let only the first <number> faults strike (with --seeds 1)', wholeNumber)
    .addOption(
      new Option('--draw <options...>', 'options, settings of the stack and kinds of pods that every run has')
        .choices([...DRAWN, NO_WEBHOOK, NEW_ACCOUNT])
        .default([]),
    )
    .option('--log', 'print the event log (with --seeds 1)', false)
    .addOption(
      new Option('--record-bands [which]', 'record the bands of quality that these runs are better than, or all')
        .choices(['better', 'all'])
        .preset('better')
        .default('none'),
    )
    .action(async (flags: Flags) => {
      if (flags.seeds !== 1 && (flags.faults !== undefined || flags.log)) {
        program.error('error: --faults and --log are about one run: give --seeds 1 as well');
      }
      if (flags.recordBands !== 'none' && (flags.seeds < JUDGED_FROM || flags.draw.length > 0)) {
        program.error(`error: bands are recorded from ${JUDGED_FROM} runs, and without --draw`);
      }
      process.exitCode = flags.faults !== undefined || flags.log ? await replay(flags) : await simulate(flags);
    });
  return program;
}

/** Repeats one run, as it was. */
async function replay({ seed, provider, draw, faults = Number.POSITIVE_INFINITY, log }: Flags): Promise<number> {
  const again = await run({ seed, provider, draw, limit: faults });
  process.stdout.write(
    [
      ...(log ? again.lines : []),
      again.violation === null
        ? `seed ${seed}: nothing failed (${again.faults} faults)`
        : `seed ${seed}: ${again.violation.invariant}: ${again.violation.what} (${again.faults} faults)`,
      `digest ${again.digest}`,
      '',
    ].join('\n'),
  );
  return again.violation === null ? 0 : 1;
}

async function simulate({ seeds, seed: first, provider, draw, recordBands }: Flags): Promise<number> {
  const start = performance.now();
  const done: Done[] = [];
  await onCores(
    Array.from({ length: seeds }, (_, i): Task => ({ kind: 'run', seed: first + i, provider, draw })),
    (one) => {
      done.push(one);
      if (one.failure !== null) {
        process.stdout.write(`seed ${one.seed} on ${one.provider} fails: ${one.failure}\n`);
      }
    },
  );
  done.sort((a, b) => a.seed - b.seed);
  const failed = done.filter(({ failure }) => failure !== null);
  const struck = summed(done.map((one) => one.struck));
  const happened = summed(done.map((one) => one.happened));
  process.stdout.write(`faults: ${countsInWords(struck)}\nhappened: ${countsInWords(happened)}\n`);
  const sums = summedArmings(done.map((one) => one.armings));
  for (const { name } of INVARIANTS) {
    const { cases, armed } = sums.get(name) ?? { cases: 0, armed: 0 };
    const share = cases === 0 ? '' : `, armed in ${((100 * armed) / cases).toFixed(1)} %`;
    process.stdout.write(`${name}: ${cases} cases${share}\n`);
  }
  const batch: Batch = {
    provider,
    first,
    seeds,
    isDrawn: draw.length > 0,
    runs: done.flatMap(({ seed, failure, quality }) => (failure === null ? { pattern: patternOf(seed), quality } : [])),
  };
  const { lines, failures } = reportQuality(batch, recordBands);
  process.stdout.write(`${lines.join('\n')}\n`);
  const reports: Done[] = [];
  await onCores(
    failed.slice(0, SHOWN).map(({ seed, provider: on }): Task => ({ kind: 'shrink', seed, provider: on, draw })),
    (one) => reports.push(one),
  );
  for (const { report } of reports.toSorted((a, b) => a.seed - b.seed)) {
    process.stdout.write(`\n${report}\n\n`);
  }
  const faults = done.reduce((sum, one) => sum + one.faults, 0);
  const evaluations = done.reduce((sum, one) => sum + one.evaluations, 0);
  process.stdout.write(
    `${seeds} seeds from ${first}: ${failed.length} failed; ${faults} faults, ${evaluations} evaluations in ${((performance.now() - start) / 1_000).toFixed(0)} s\n`,
  );
  const weak =
    seeds >= ENOUGH_SEEDS ? [...unarmed(INVARIANTS, provider, sums), ...missing(provider, struck, happened)] : [];
  weak.forEach((one) => process.stdout.write(`the runs show too little: ${one}\n`));
  failures.forEach((one) => process.stdout.write(`quality fails: ${one}\n`));
  return failed.length + weak.length + failures.length === 0 ? 0 : 1;
}

/** Faults and draws that no run has had. */
const missing = (provider: ProviderName, struck: Counts, happened: Counts): readonly string[] => [
  ...FAULT_KINDS.filter((kind) => struck[kind] === 0 && !isNeverOn(provider, kind)).map(
    (kind) => `no fault of kind "${kind}"`,
  ),
  ...DRAWN.filter((name) => happened[`drawn ${name}`] === undefined).map((name) => `no run with ${name}`),
];

/** Shares the tasks out among the cores. */
async function onCores(tasks: readonly Task[], onDone: (done: Done) => void): Promise<void> {
  const nameOf = ({ seed }: Task): string => `simulate-faults: seed ${seed}`;
  await inWorkers(new URL('worker.ts', import.meta.url), tasks, { nameOf, onDone });
}
