/**
 * `npm run bench:trace [-- --load NAME… --setting NAME… --set OPTION=VALUE… --steady-boots -o json]`: replays days of load in the
 * demo's simulation, each run in a process of its own, and compares what they cost with what no cluster can be below, and with packing everything anew
 * every ten minutes.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Option } from 'commander';
import { parse } from 'yaml';
import { toolCommand } from '../../tool-command.ts';
import { FAMILIES, LOAD_NAMES, needsTrace, unknownLoad } from './loads.ts';
import type { Measured } from './measure.ts';
import { openbLacking } from './openb.ts';
import { SETTING_NAMES } from './settings.ts';
import { asMarkdown, asTable } from './table.ts';

const FORMS: Readonly<Record<'table' | 'markdown' | 'json', (rows: readonly Measured[]) => string>> = {
  table: asTable,
  markdown: asMarkdown,
  json: (rows) => JSON.stringify(rows, null, 2),
};

interface Flags {
  readonly load: readonly string[];
  readonly setting: readonly string[];
  readonly set: readonly string[];
  readonly steadyBoots: boolean;
  readonly output: keyof typeof FORMS;
}

const program = toolCommand('bench:trace', 'Replay days of load, and compare what they cost with what is possible')
  .option('--load <names...>', `the loads: names, or families (${FAMILIES.join(', ')}) with a seed, such as web3-7`, [
    ...LOAD_NAMES,
  ])
  .addOption(new Option('--setting <names...>', 'the settings').choices(SETTING_NAMES).default(SETTING_NAMES, 'all'))
  .addOption(new Option('-o, --output <form>', 'what is printed').choices(Object.keys(FORMS)).default('table'))
  .option('--set <option=value...>', 'options beside those of each setting', [])
  .option('--steady-boots', 'all nodes of a group boot in the same time, so that waits can be compared', false)
  .action(({ load: loads, setting: settings, set, steadyBoots, output }: Flags) => {
    const unreadable = set.find((text) => !text.includes('='));
    if (unreadable !== undefined) {
      program.error(`error: --set: expected option=value, such as scaleDownUnneededTime=1m, found ${unreadable}`);
    }
    const unknown = loads.find((name) => unknownLoad(name) !== null);
    if (unknown !== undefined) {
      program.error(`error: --load: ${unknownLoad(unknown)}`);
    }
    const options = JSON.stringify(Object.fromEntries(set.map(optionOf)));
    const lacking = loads.some(needsTrace) ? openbLacking() : null;
    if (lacking !== null) {
      program.error(`error: ${lacking}`);
    }
    const rows = loads.flatMap((load) => settings.flatMap((setting) => runOf(load, setting, options, steadyBoots)));
    process.stdout.write(`${FORMS[output](rows)}\n`);
  });

program.parse();

/** The value as in a configuration. */
function optionOf(text: string): readonly [option: string, value: unknown] {
  const at = text.indexOf('=');
  return [text.slice(0, at), parse(text.slice(at + 1))];
}

function runOf(load: string, setting: string, options: string, steadyBoots: boolean): readonly Measured[] {
  process.stderr.write(`${load}, ${setting} …`);
  const file = join(import.meta.dirname, 'child.ts');
  const child = spawnSync(process.execPath, [file, load, setting, options, steadyBoots ? 'steady' : 'drawn'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  if (child.status !== 0) {
    process.stderr.write(` failed (exit ${child.status})\n`);
    process.exitCode = 1;
    return [];
  }
  const row = JSON.parse(child.stdout) as Measured;
  process.stderr.write(` ${row.usd.toFixed(0)} USD, ${row.cpuSeconds.toFixed(0)} s of CPU time\n`);
  return [row];
}
