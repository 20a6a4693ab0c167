/**
 * `npm run bench:trace [-- --load NAME… --seeds N --setting NAME… --set OPTION=VALUE… --steady-boots -o judged]`: replays days of load in
 * the demo's simulation, on all cores, and compares what they cost with what no cluster can be below, with packing everything anew
 * every ten minutes, and, over the seeds of a family, setting with setting.
 */
import { Option } from 'commander';
import { parse } from 'yaml';
import { positive, toolCommand } from '../../tool-command.ts';
import { inWorkers } from '../../../cli/workers.ts';
import type { Task } from './child.ts';
import { asJudged } from './judged.ts';
import { FAMILIES, LOAD_NAMES, loadsNamed, needsTrace, type Seeds, unknownLoad } from './loads.ts';
import type { Measured } from './measure.ts';
import { openbLacking } from '../../openb.ts';
import { SETTING_NAMES } from './settings.ts';
import { asMarkdown, asTable } from './table.ts';

const FORMS: Readonly<Record<'table' | 'markdown' | 'judged' | 'json', (rows: readonly Measured[]) => string>> = {
  table: asTable,
  markdown: asMarkdown,
  judged: asJudged,
  json: (rows) => JSON.stringify(rows, null, 2),
};

interface Flags extends Seeds {
  readonly load: readonly string[];
  readonly setting: readonly string[];
  readonly set: readonly string[];
  readonly steadyBoots: boolean;
  readonly output: keyof typeof FORMS;
}

const program = toolCommand('bench:trace', 'Replay days of load, and compare what they cost with what is possible')
  .option(
    '--load <names...>',
    `the loads: names, families (${FAMILIES.join(', ')}), or a load of a family by its seed, such as web3-7`,
    [...LOAD_NAMES],
  )
  .option('--seeds <number>', 'how many even seeds of each family that is named without a seed', positive, 20)
  .option('--odd', 'odd seeds, to choose settings on; even ones judge them', false)
  .addOption(new Option('--setting <names...>', 'the settings').choices(SETTING_NAMES).default(SETTING_NAMES, 'all'))
  .addOption(
    new Option('-o, --output <form>', 'what is printed; judged compares with the first setting, over all seeds')
      .choices(Object.keys(FORMS))
      .default('table'),
  )
  .option('--set <option=value...>', 'options beside those of each setting', [])
  .option('--steady-boots', 'all nodes of a group boot in the same time, so that waits can be compared', false)
  .action(async ({ load: named, setting: settings, set, steadyBoots, output, ...seeds }: Flags) => {
    const unreadable = set.find((text) => !text.includes('='));
    if (unreadable !== undefined) {
      program.error(`error: --set: expected option=value, such as scaleDownUnneededTime=1m, found ${unreadable}`);
    }
    const loads = loadsNamed(named, seeds);
    const unknown = loads.find((name) => unknownLoad(name) !== null);
    if (unknown !== undefined) {
      program.error(`error: --load: ${unknownLoad(unknown)}`);
    }
    const lacking = loads.some(needsTrace) ? openbLacking() : null;
    if (lacking !== null) {
      program.error(`error: ${lacking}; the web loads (--load web3) need no trace`);
    }
    const options = Object.fromEntries(set.map(optionOf));
    const tasks = loads.flatMap((load) =>
      settings.map((setting): Task => ({ load, setting, set: options, steadyBoots })),
    );
    process.stdout.write(`${FORMS[output](await rowsOf(tasks))}\n`);
  });

await program.parseAsync();

/** The value as in a configuration. */
function optionOf(text: string): readonly [option: string, value: unknown] {
  const at = text.indexOf('=');
  return [text.slice(0, at), parse(text.slice(at + 1))];
}

/** The rows in the order of the tasks. */
async function rowsOf(tasks: readonly Task[]): Promise<readonly Measured[]> {
  let count = 0;
  return await inWorkers(new URL('child.ts', import.meta.url), tasks, {
    nameOf: (task: Task) => `bench: ${nameOf(task)}`,
    onDone: (row: Measured) => {
      count += 1;
      process.stderr.write(
        `${count}/${tasks.length} ${nameOf(row)}: ${row.usd.toFixed(0)} USD, ${row.cpuSeconds.toFixed(0)} s of CPU time\n`,
      );
    },
  });
}

function nameOf({ load, setting }: Pick<Measured, 'load' | 'setting'>): string {
  return `${load}, ${setting}`;
}
