import type { SnapshotChange } from '../../model/snapshot/snapshot.ts';
import type { Estimate } from '../../estimator/estimator.ts';
import type { ScaleUpCandidate } from './expansion-options.ts';
import type { PlanInput } from './plan-input.ts';

interface ShownEstimate {
  readonly candidate: ScaleUpCandidate;
  readonly estimate: Estimate;
  readonly schedulerChecks: number;
}

/** Shows the estimates of one decision on the snapshot, one at a time, each in a fork of its own. */
export class ScratchEstimates {
  readonly #input: Pick<PlanInput, 'snapshot' | 'scheduler'>;
  #shown: ShownEstimate | null = null;
  #kept: ShownEstimate | null = null;
  #keptChanges: readonly SnapshotChange[] = [];

  constructor(input: Pick<PlanInput, 'snapshot' | 'scheduler'>) {
    this.#input = input;
  }

  /** Makes an estimate, in place of the one that is shown. */
  show(candidate: ScaleUpCandidate, make: () => Estimate): Estimate {
    this.clear();
    const { snapshot, scheduler } = this.#input;
    const before = scheduler.schedulerChecks();
    snapshot.fork();
    const estimate = make();
    this.#shown = { candidate, estimate, schedulerChecks: scheduler.schedulerChecks() - before };
    return estimate;
  }

  /** Remembers the estimate that is shown, and none but that: it can then be shown again without being made again. */
  keep(): void {
    this.#kept = this.#shown;
  }

  /**
   * The estimate of a candidate, in place of the one that is shown: the shown estimate itself, the kept one, or a new
   * one.
   */
  settle(candidate: ScaleUpCandidate, make: () => Estimate): Estimate {
    if (this.#shown?.candidate === candidate) {
      return this.#shown.estimate;
    }
    const kept = this.#kept;
    if (kept?.candidate !== candidate) {
      return this.show(candidate, make);
    }
    this.clear();
    const { snapshot, scheduler } = this.#input;
    snapshot.fork();
    snapshot.redo(this.#keptChanges);
    scheduler.addSchedulerChecks(kept.schedulerChecks);
    this.#shown = kept;
    return kept.estimate;
  }

  /** Takes the estimate that is shown off the snapshot. */
  clear(): void {
    const shown = this.#shown;
    if (shown === null) {
      return;
    }
    const changes = this.#input.snapshot.revert();
    this.#shown = null;
    if (shown === this.#kept) {
      this.#keptChanges = changes;
    }
  }
}
