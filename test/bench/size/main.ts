/**
 * `npm run test:size`: whether the setting `size` is enough for as many nodes as docs/limits.md says, and whether a cluster at
 * rest costs what docs/cost.md says. Each cluster is evaluated by a process with the memory of the function; its CPU time, as a
 * multiple of a calibration in the same process, must not exceed what is recorded by more than three tenths, and its memory not twice that, nor
 * what the function has. A figure beyond its limit is measured again: other processes make one dearer by chance, none cheaper.
 * Ends with exit code 1 where the least of three is beyond its limit.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Table from 'cli-table3';
import { evaluationOf } from '../../../cdk/stack/size.ts';
import { SIZES } from '../../../config/schema.ts';
import { CPU_SECONDS, ESTIMATES, VCPU_MIB } from '../../../cli/cost/model.ts';
import { CALIBRATION_MS, FIGURES, TOLERANCE } from '../../../scripts/cost/size-figures.ts';
import type { Taken } from './child.ts';

/** V8 collects garbage later on busy cores: 373 to 583 MB were measured for one cluster. */
const MEMORY_TOLERANCE = 2;
/** Share of the function's memory that is V8's old space: the rest is for the process, its buffers and its young objects. */
const OLD_SPACE = 0.9;
/** As the functions have it (cdk/stack/functions.ts). */
const SEMI_SPACE = '--max-semi-space-size=16';
/** An evaluation has its time to wait in, too: it computes for half of it at most. */
const COMPUTING = 0.5;
/** Numbers of nodes of idle clusters whose CPU time docs/cost.md goes by. For 1,000 an hour takes too long. */
const IDLE_NODES = [10, 100] as const;

interface Measured {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: 's' | 'MB';
}

const TRIES = 3;

const measured = [
  ...SIZES.flatMap((size) => leastOf(() => sizeOf(size))),
  ...IDLE_NODES.flatMap((nodes) => leastOf(() => idleOf(nodes))),
];
const table = new Table({ head: ['what', 'measured', 'limit', ''] });
for (const { what, value, limit, unit } of measured) {
  const digits = unit === 's' ? 3 : 0;
  table.push([
    what,
    `${value.toFixed(digits)} ${unit}`,
    `${limit.toFixed(digits)} ${unit}`,
    value <= limit ? '' : 'OVER',
  ]);
}
process.stdout.write(
  `${table.toString()}\nSeconds of CPU where a round of the calibration takes ${CALIBRATION_MS} ms.\n`,
);
process.exitCode = measured.some(({ value, limit }) => value > limit) ? 1 : 0;

function sizeOf(size: (typeof SIZES)[number]): readonly Measured[] {
  const { nodes, scaleUp, scaleDown, peakMb } = FIGURES[size];
  const { memoryMiB, timeout } = evaluationOf(size);
  const taken = inProcess(['busy', String(nodes)], memoryMiB);
  const available = (timeout.toSeconds() * COMPUTING * Math.min(1, memoryMiB / VCPU_MIB)) / ESTIMATES.cpuFactor;
  const of = `${size}, ${nodes} nodes`;
  return [
    { what: `${of}: scale-up`, value: seconds(taken, 'scaleUp'), limit: scaleUp * TOLERANCE, unit: 's' },
    { what: `${of}: scale-down`, value: seconds(taken, 'scaleDown'), limit: scaleDown * TOLERANCE, unit: 's' },
    {
      what: `${of}: half of the time of the function, as CPU time of this core`,
      value: Math.max(seconds(taken, 'scaleUp'), seconds(taken, 'scaleDown')),
      limit: available,
      unit: 's',
    },
    { what: `${of}: memory`, value: taken.peakMb, limit: Math.min(peakMb * MEMORY_TOLERANCE, memoryMiB), unit: 'MB' },
  ];
}

function idleOf(nodes: (typeof IDLE_NODES)[number]): readonly Measured[] {
  const taken = inProcess(['idle', String(nodes)], evaluationOf('small').memoryMiB);
  return (['evaluation', 'changeCheck'] as const).map((kind) => ({
    what: `idle, ${nodes} nodes: ${kind}`,
    value: seconds(taken, kind),
    limit: CPU_SECONDS[kind][nodes] * TOLERANCE,
    unit: 's',
  }));
}

/** The least of each figure, measured until all are within their limits, three times at most. */
function leastOf(measure: () => readonly Measured[]): readonly Measured[] {
  let least = measure();
  for (let tries = 1; tries < TRIES && least.some(({ value, limit }) => value > limit); tries += 1) {
    const again = measure();
    least = least.map((one, index) => ({ ...one, value: Math.min(one.value, again[index]!.value) }));
  }
  return least;
}

/** The CPU time of what was done, as it is where the figures were recorded. */
function seconds({ cpuMs, calibrationMs: [before, after] }: Taken, what: string): number {
  return (cpuMs[what]! / ((before + after) / 2)) * (CALIBRATION_MS / 1_000);
}

function inProcess(args: readonly string[], memoryMiB: number): Taken {
  const limits = [`--max-old-space-size=${Math.floor(memoryMiB * OLD_SPACE)}`, SEMI_SPACE];
  const child = spawnSync(process.execPath, [...limits, join(import.meta.dirname, 'child.ts'), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) {
    throw new Error(
      `${args.join(' ')}: the process ended with ${child.status ?? child.signal}; did its memory not do?`,
    );
  }
  const taken = JSON.parse(child.stdout) as Taken;
  process.stdout.write(`${args.join(' ')}: ${taken.result}; ${child.stdout}`);
  return taken;
}
