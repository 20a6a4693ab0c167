import { backtestBenchmarks } from './backtest.ts';
import { consolidationBenchmarks } from './consolidation.ts';
import { demoBenchmarks } from './demo.ts';
import { evaluationBenchmarks } from './evaluation.ts';
import { explainingBenchmarks } from './explaining.ts';
import { growthBenchmarks } from './growth.ts';
import { hostileBenchmarks } from './hostile-objects.ts';
import type { Benchmark } from './measure.ts';
import { idleBenchmarks } from './idle.ts';
import { packingBenchmarks } from './packing.ts';
import { readingBenchmarks } from './reading.ts';
import { registryBenchmarks } from './registry.ts';
import { scaleDownBenchmarks } from './scale-down.ts';
import { scaleUpBenchmarks } from './scale-up.ts';
import { schedulingBenchmarks } from './scheduling.ts';

/** All benchmarks, by name. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  ...schedulingBenchmarks,
  ...scaleUpBenchmarks,
  ...scaleDownBenchmarks,
  ...consolidationBenchmarks,
  ...packingBenchmarks,
  ...growthBenchmarks,
  ...evaluationBenchmarks,
  ...demoBenchmarks,
  ...backtestBenchmarks,
  ...idleBenchmarks,
  ...readingBenchmarks,
  ...explainingBenchmarks,
  ...registryBenchmarks,
  ...hostileBenchmarks,
};
