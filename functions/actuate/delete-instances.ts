import type { InstanceId } from '../../core/model/values/names.ts';
import type { CallFailed, TerminateOutcome } from '../../core/model/answers.ts';
import type { DeleteInstancesIntent } from '../../core/model/intent.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { failed, type Outcome, persistently, refused } from './outcome.ts';

/** An instance without a node may have one by now: an older intent is not carried out, but decided anew. */
const VALID_FOR = minutes(3);

/**
 * Terminates instances one by one, each with a decrement of the target size. The group is read before each; at its
 * minimum size an instance is left alone, or replaced if the intent says so. Instances that no longer exist count as
 * done, so that a repetition does no harm.
 *
 * @param registered nodes by now (`registeredSince`): they are left alone.
 */
export async function deleteInstances(
  world: World,
  cluster: Cluster,
  intent: DeleteInstancesIntent,
  registered: ReadonlySet<InstanceId>,
  onProgress: () => void,
  signal: AbortSignal,
): Promise<Outcome> {
  if (world.now() - intent.createdAt > VALID_FOR) {
    return refused('it was decided too long ago');
  }
  const left: string[] = [];
  let failure: CallFailed | null = null;
  for (const instance of intent.instances) {
    if (registered.has(instance)) {
      left.push(`${instance} (it has become a node)`);
      continue;
    }
    const end = await deleteOne(world, cluster, intent, instance, signal);
    if (end.kind === 'failed') {
      failure = end;
    }
    if (end.kind === 'failed' || end.kind === 'refused') {
      left.push(`${instance} (${end.message})`);
    }
    onProgress();
  }
  if (failure !== null) {
    return { ...failed(failure), message: `${failure.code}: left ${left.join(', ')}` };
  }
  return left.length > 0
    ? refused(`left ${left.join(', ')}`)
    : { status: 'done', message: 'the instances are being terminated', failure: null };
}

const deleteOne = (
  world: World,
  { groups }: Cluster,
  { group, force }: DeleteInstancesIntent,
  instance: InstanceId,
  signal: AbortSignal,
): Promise<TerminateOutcome | { readonly kind: 'refused'; readonly message: string }> =>
  persistently(
    world,
    `ending ${instance} of ${group}`,
    async () => {
      const size = await groups.readSize(group, signal);
      if (size === null) {
        return { kind: 'refused' as const, message: 'the group is gone' };
      }
      const lowers = size.target > size.min;
      return lowers || force
        ? await groups.terminate(group, instance, lowers, signal)
        : { kind: 'refused' as const, message: `the group is at its minimum of ${size.min}` };
    },
    signal,
  );
