import { type ClusterName, clusterName } from '../../model/values/names.ts';
import { EMPTY_STATE, type State } from '../../model/state.ts';

/**
 * The name under which a dry run stores its state: beside the cluster, never in its place, for the dry run of one
 * deployment may share the table of another that acts. No EKS cluster has a name like that.
 */
export const dryRunOf = (cluster: ClusterName): ClusterName => clusterName(`${cluster}/dry-run`);

/** Parts of the state that a dry run keeps. */
const TIMERS = [
  'unneededSince',
  'unremovableUntil',
  'unregisteredSince',
  'incorrectSize',
  'seenSizes',
  'lastEvaluation',
  'lastScaleUpEvaluation',
  'lastNotification',
  'problems',
  'monthCosts',
] as const satisfies readonly (keyof State)[];

/** The state with the timers of a dry run in place of its own. */
export const withTimers = (state: State, timers: State): State => ({
  ...state,
  ...Object.fromEntries(TIMERS.map((part) => [part, timers[part]])),
});

/**
 * The part of the state that a dry run remembers: timers, without which a dry run would never decide to remove a node.
 * Decisions are not remembered, for none of them is carried out.
 */
export const timersOf = (state: State): State => withTimers(EMPTY_STATE, state);
