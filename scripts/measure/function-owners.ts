/**
 * Interfaces of core whose functions are no callbacks between steps, and why. Fields of other interfaces that are
 * functions are counted.
 */
export const FUNCTION_OWNERS: Readonly<Record<string, string>> = {
  Cause: 'variants: a cause of replacing a node',
  Counter: 'variants: what a counter of pods counts by',
  DisruptionMethod: 'variants: a way to find nodes to disrupt',
  DomainWatcher: 'variants: what follows the domains of a topology',
  DrainRule: 'variants: a rule of drainability',
  Expander: 'variants: an expander',
  KindFilter: 'variants: a filter of the scheduler, compiled for a kind of pods',
  Limit: 'variants: what a limit of the cluster counts of a node',
  LimitedAmount: 'variants: what a limit of the options counts of a node',
  Plugin: 'variants: a plugin of kube-scheduler',
  ScorePlugin: 'variants: a plugin of kube-scheduler that scores',
  SnapshotObserver: 'variants: what follows the changes of a snapshot',
  Balancer: 'a tracker: sizes of groups that grow in turn',
  ClusterLimits: 'a tracker: what the limits of the cluster leave',
  ClusterMinimums: 'a tracker: what the minimums of the cluster leave',
  MovesLeft: 'a tracker: evictions that consolidation has left',
  NamespaceHeadroom: 'a tracker: headroom that a namespace has left',
  NodeBudgetTracker: 'a tracker: what disruption budgets leave',
  PdbTracker: 'a tracker: what PodDisruptionBudgets leave',
  QuotaLedger: 'a tracker: what ResourceQuotas leave',
  RemovalQueue: 'a tracker: nodes in the order of removal',
  Shortages: 'a tracker: shortages of instance types',
  BudgetedScheduler: 'the scheduler, with a budget of checks',
  Scheduler: 'the scheduler: verdicts about pods and nodes',
  Scorer: 'the scheduler: scores of nodes',
  CronExpression: 'a compiled text',
  RegularExpression: 'a compiled text',
};
