import type { ProviderName } from '../../core/model/provider.ts';
import type { Counts } from './counts.ts';
import type { Arming } from './invariants/invariant.ts';
import type { RunQuality } from './quality/observe.ts';
import { reportOf } from './report.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';

/** What is to be done next. */
export interface Task {
  readonly kind: 'run' | 'shrink';
  readonly seed: number;
  readonly provider: ProviderName;
  /** Names of options that are drawn whatever the seed is. */
  readonly draw: readonly string[];
}

/** What has come of it. */
export interface Done {
  readonly seed: number;
  readonly provider: ProviderName;
  readonly faults: number;
  readonly evaluations: number;
  readonly failure: string | null;
  readonly armings: Readonly<Record<string, Arming>>;
  /** Faults by kind, and the world's events by kind. */
  readonly struck: Counts;
  readonly happened: Counts;
  readonly quality: RunQuality;
  /** After `shrink`. */
  readonly report: string | null;
}

process.on('message', (task: Task) => {
  void answer(task);
});

async function answer(task: Task): Promise<void> {
  process.send!(await work(task));
}

async function work({ kind, seed, provider, draw }: Task): Promise<Done> {
  const whole = await run({ seed, provider, draw });
  const { faults, evaluations, violation, armings, struck, happened, quality } = whole;
  const report = kind === 'shrink' && violation !== null ? reportOf(await shrink(whole, { draw }), faults, draw) : null;
  return {
    seed,
    provider,
    faults,
    evaluations,
    failure: violation?.invariant ?? null,
    armings,
    struck,
    happened,
    quality,
    report,
  };
}
