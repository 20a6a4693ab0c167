/** The kinds that only some decisions need, and whether to read them. */
export interface ReadScope {
  /** PodDisruptionBudgets. */
  readonly budgets: boolean;
  /** Kinds of the pods' controllers. */
  readonly controllers: 'all' | 'DaemonSets';
}

export const EVERYTHING: ReadScope = Object.freeze({ budgets: true, controllers: 'all' });
