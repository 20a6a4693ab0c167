import type { SnapshotChange } from '../../model/snapshot/snapshot.ts';
import type { Estimate } from '../../estimator/estimator.ts';
import type { ScaleUpCandidate } from './expansion-options.ts';
import type { Ledger } from './ledger.ts';
import type { PlanInput } from './plan-input.ts';

/** Shows the estimates of one decision on the snapshot, one at a time, each in a fork of its own. */
export interface ScratchEstimates {
  /** Makes an estimate, in place of the one that is shown. */
  readonly show: (candidate: ScaleUpCandidate, make: () => Estimate) => Estimate;
  /** Remembers the estimate that is shown, and none but that: it can then be shown again without being made again. */
  readonly keep: () => void;
  /**
   * The estimate of a candidate, in place of the one that is shown: the shown estimate itself, the kept one, or a new
   * one.
   */
  readonly settle: (candidate: ScaleUpCandidate, make: () => Estimate) => Estimate;
  /** Takes the estimate that is shown off the snapshot. */
  readonly clear: () => void;
}

interface Shown {
  readonly candidate: ScaleUpCandidate;
  readonly estimate: Estimate;
  readonly schedulerChecks: number;
  readonly firstName: number;
  readonly nextName: number;
}

export function createScratchEstimates(
  { snapshot, scheduler }: Pick<PlanInput, 'snapshot' | 'scheduler'>,
  ledger: Pick<Ledger, 'nextName'>,
): ScratchEstimates {
  const scratch: { shown: Shown | null; kept: Shown | null; keptChanges: readonly SnapshotChange[] } = {
    shown: null,
    kept: null,
    keptChanges: [],
  };
  const clear = (): void => {
    const { shown, kept } = scratch;
    if (shown !== null) {
      const changes = snapshot.revert();
      ledger.nextName = shown.firstName;
      scratch.shown = null;
      if (shown === kept) {
        scratch.keptChanges = changes;
      }
    }
  };
  const show = (candidate: ScaleUpCandidate, make: () => Estimate): Estimate => {
    clear();
    const firstName = ledger.nextName;
    const before = scheduler.schedulerChecks();
    snapshot.fork();
    const estimate = make();
    scratch.shown = {
      candidate,
      estimate,
      schedulerChecks: scheduler.schedulerChecks() - before,
      firstName,
      nextName: ledger.nextName,
    };
    return estimate;
  };
  return {
    show,
    keep: () => {
      scratch.kept = scratch.shown;
    },
    settle: (candidate, make) => {
      if (scratch.shown?.candidate === candidate) {
        return scratch.shown.estimate;
      }
      const { kept } = scratch;
      if (kept?.candidate !== candidate) {
        return show(candidate, make);
      }
      clear();
      snapshot.fork();
      snapshot.redo(scratch.keptChanges);
      ledger.nextName = kept.nextName;
      scheduler.addSchedulerChecks(kept.schedulerChecks);
      scratch.shown = kept;
      return kept.estimate;
    },
    clear,
  };
}
