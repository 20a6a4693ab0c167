/**
 * `npm run bench [-- --json] [-- --only NAME…]`: every benchmark in a process of its own, so that its peak memory is
 * its own; the figure is the median of its runs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { BENCHMARKS } from './benchmarks.ts';
import type { Row } from './measure.ts';

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(`bench: no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}
const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);

const rows: Row[] = [];
for (const name of names) {
  const child = spawnSync(process.execPath, ['--expose-gc', join(import.meta.dirname, 'child.ts'), name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  if (child.status !== 0) {
    process.stderr.write(`bench: ${name} failed (exit ${child.status})\n`);
    process.exitCode = 1;
    continue;
  }
  rows.push(...(JSON.parse(child.stdout) as Row[]));
}

if (values.json) {
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
} else {
  const table = new Table({ head: ['benchmark', 'median ms', 'min', 'max', 'goal ms', 'peak MB', 'result'] });
  for (const { name, medianMs, minMs, maxMs, goalMs, peakMb, result } of rows) {
    table.push([name, medianMs, minMs, maxMs, goalMs ?? '', peakMb, result]);
  }
  process.stdout.write(`${table.toString()}\n`);
}
