import { type ClusterName, clusterName } from '../model/values/names.ts';
import { EMPTY_STATE, type State } from '../model/state.ts';

/**
 * Where a dry run remembers what it has seen: beside the cluster, never in its place, for the dry run of one deployment
 * may share the table of another that acts. No cluster of EKS has a name like that.
 */
export const dryRunOf = (cluster: ClusterName): ClusterName => clusterName(`${cluster}/dry-run`);

/** The state with the timers of a dry run in place of its own. */
export const withTimers = (
  state: State,
  {
    unneededSince,
    unremovableUntil,
    unregisteredSince,
    incorrectSize,
    lastEvaluation,
    lastScaleUpEvaluation,
    lastNotification,
    troubles,
  }: State,
): State => ({
  ...state,
  unneededSince,
  unremovableUntil,
  unregisteredSince,
  incorrectSize,
  lastEvaluation,
  lastScaleUpEvaluation,
  lastNotification,
  troubles,
});

/**
 * What a dry run remembers: for how long things have been as they are, or it would never come to say that a node goes.
 * Nothing that was decided, for nothing of that is made.
 */
export const timersOf = (state: State): State => withTimers(EMPTY_STATE, state);
