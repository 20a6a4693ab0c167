/**
 * `npm run bench [-- --json] [-- NAME…]`: every benchmark in a process of its own, so that its peak memory is its own;
 * the figure is the median of its runs. Benchmarks whose data is not there are left out, and named.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Table from 'cli-table3';
import { toolCommand } from '../tool-command.ts';
import { BENCHMARKS } from './benchmarks.ts';
import type { Row } from './measure.ts';

interface Flags {
  readonly json: boolean;
}

const program = toolCommand('bench', 'Measure the speed and memory of decisions')
  .argument('[names...]', `the benchmarks to run, all without any: ${Object.keys(BENCHMARKS).join(', ')}`)
  .option('--json', 'print the rows as JSON', false)
  .action((given: readonly string[], { json }: Flags) => {
    const unknown = given.filter((name) => !Object.hasOwn(BENCHMARKS, name));
    if (unknown.length > 0) {
      program.error(`error: no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`);
    }
    const rows = (given.length > 0 ? given : Object.keys(BENCHMARKS)).flatMap(rowsOf);
    process.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : `${tableOf(rows)}\n`);
  });

program.parse();

function rowsOf(name: string): readonly Row[] {
  const lacking = BENCHMARKS[name]!.lacking?.() ?? null;
  if (lacking !== null) {
    process.stderr.write(`bench: left out ${name}: ${lacking}\n`);
    return [];
  }
  const child = spawnSync(process.execPath, ['--expose-gc', join(import.meta.dirname, 'child.ts'), name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  if (child.status !== 0) {
    process.stderr.write(`bench: ${name} failed (exit ${child.status})\n`);
    process.exitCode = 1;
    return [];
  }
  return JSON.parse(child.stdout) as Row[];
}

function tableOf(rows: readonly Row[]): string {
  const table = new Table({ head: ['benchmark', 'median ms', 'min', 'max', 'CPU ms', 'goal ms', 'peak MB', 'result'] });
  for (const { name, medianMs, minMs, maxMs, cpuMs, goalMs, peakMb, result } of rows) {
    table.push([name, medianMs, minMs, maxMs, cpuMs, goalMs ?? '', peakMb, result]);
  }
  return table.toString();
}
