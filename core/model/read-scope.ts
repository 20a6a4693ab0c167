/** What is read of the kinds that not every decision asks about. */
export interface ReadScope {
  /** PodDisruptionBudgets. */
  readonly budgets: boolean;
  /** Of the kinds that pods' controllers may be of. */
  readonly controllers: 'all' | 'DaemonSets';
}

export const EVERYTHING: ReadScope = Object.freeze({ budgets: true, controllers: 'all' });
