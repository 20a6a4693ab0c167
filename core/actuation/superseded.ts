import type { InstanceId } from '../model/values/names.ts';
import type { DeleteInstancesIntent, Intent, PersistedCluster } from '../model/intent.ts';
import { valueOf } from '../model/values/records.ts';
import type { State } from '../model/state.ts';
import { intentVersion } from './intent-order.ts';

/**
 * Is this an increase of a group that has failed since it was decided? The pods that it was for have been planned anew on
 * other groups when the failure was learnt: to make it now would launch their nodes twice.
 */
export function isSuperseded(intent: Intent, { backoff }: Pick<State, 'backoff'>): boolean {
  const failed = backoff[intent.group]?.lastFailure;
  return intent.kind === 'SetSize' && intent.to > intent.from && failed !== undefined && intent.createdAt <= failed;
}

/**
 * The instances that were to be ended because they were no nodes, and that an evaluation after that one found to be nodes:
 * pods may run there by now. The version says which evaluation was later, for clocks may differ.
 */
export function registeredSince(
  intent: DeleteInstancesIntent,
  { version, state }: Pick<PersistedCluster, 'version' | 'state'>,
): ReadonlySet<InstanceId> {
  if (version <= intentVersion(intent)) {
    return new Set();
  }
  const broken = new Set(valueOf(state.seenErrors, intent.group));
  return new Set(
    intent.instances.filter((id) => valueOf(state.unregisteredSince, id) === undefined && !broken.has(id)),
  );
}
