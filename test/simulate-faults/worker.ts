import type { ProviderName } from '../../core/model/provider.ts';
import { reportOf } from './report.ts';
import { type Run, run } from './run.ts';
import { shrink } from './shrink.ts';
import { answerTasks } from '../../cli/workers.ts';

/** Work that is to be done next. */
export interface Task {
  readonly kind: 'run' | 'shrink';
  readonly seed: number;
  readonly provider: ProviderName;
  /** Names of options that are drawn whatever the seed is. */
  readonly draw: readonly string[];
}

/** Result of the work. */
export interface Done extends Pick<
  Run,
  'seed' | 'provider' | 'faults' | 'evaluations' | 'armings' | 'struck' | 'happened' | 'quality'
> {
  readonly failure: string | null;
  /** After `shrink`. */
  readonly report: string | null;
}

answerTasks(work);

async function work({ kind, seed, provider, draw }: Task): Promise<Done> {
  const whole = await run({ seed, provider, draw });
  const { lines: _lines, digest: _digest, violation, ...done } = whole;
  const report =
    kind === 'shrink' && violation !== null ? reportOf(await shrink(whole, { draw }), whole.faults, draw) : null;
  return { ...done, failure: violation?.invariant ?? null, report };
}
