import { isDeletionOutdated } from '@outrigger/core/actuation/intent-age.ts';
import { judgeDeletion } from '@outrigger/core/actuation/judge-deletion.ts';
import { isUncertain } from '@outrigger/core/actuation/tries.ts';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { DeleteInstancesIntent } from '@outrigger/core/model/intent.ts';
import { pauseText } from '@outrigger/core/words/pause.ts';
import { pauseNow } from '../shared/pauses.ts';
import type { ActuationRun } from '../shared/services.ts';
import { done, failed, type Outcome, persistently, refused } from './outcome.ts';

/**
 * Terminates instances that did not become nodes, one by one, lowering the target with each. The group's size is read
 * before each termination. Missing instances count as terminated, so that a repetition does no harm.
 *
 * @param registered nodes by now (`registeredSince`): they are left alone.
 */
export async function deleteInstances(
  run: ActuationRun,
  intent: DeleteInstancesIntent,
  registered: ReadonlySet<InstanceId>,
  onProgress: () => void,
): Promise<Outcome> {
  const { services, signal } = run;
  const { groups } = run.cluster;
  if (isDeletionOutdated(intent, services.now())) {
    await withdraw(run, intent, intent.instances);
    return refused('it was decided too long ago');
  }
  const { group } = intent;
  const left: string[] = [];
  const staying: InstanceId[] = [];
  let failure: CallFailed | null = null;
  for (const instance of intent.instances) {
    if (registered.has(instance)) {
      left.push(`${instance} (it has become a node)`);
      staying.push(instance);
      continue;
    }
    const end = await persistently(run, `terminating ${instance} of ${group}`, async () => {
      const pause = await pauseNow(run, intent);
      if (pause !== null) {
        return { kind: 'refused', message: pauseText(pause) };
      }
      const verdict = judgeDeletion(intent, await groups.readSize(group, signal));
      if (verdict.kind === 'refused') {
        return verdict;
      }
      return await groups.terminate(group, instance, verdict.lowersTarget, signal);
    });
    if (end.kind === 'failed') {
      failure = end;
    }
    if (end.kind === 'refused') {
      staying.push(instance);
    }
    if (end.kind === 'failed' || end.kind === 'refused') {
      left.push(`${instance} (${end.message})`);
    }
    onProgress();
  }
  await withdraw(run, intent, staying);
  if (failure !== null) {
    return { ...failed(failure), message: `${failure.code}: left ${left.join(', ')}` };
  }
  return left.length > 0 ? refused(`left ${left.join(', ')}`) : done('the instances are being terminated');
}

/**
 * Takes back what an earlier attempt at the intent may have left on instances that stay.
 *
 * @throws Error when that cannot be done yet: the intent stays pending.
 */
async function withdraw(
  run: ActuationRun,
  { group, attempts }: DeleteInstancesIntent,
  instances: readonly InstanceId[],
): Promise<void> {
  const { groups } = run.cluster;
  const withdraw = groups.withdrawTermination?.bind(groups);
  if (attempts <= 1 || withdraw === undefined) {
    return;
  }
  for (const instance of instances) {
    const what = `taking back the termination of ${instance} of ${group}`;
    const end = await persistently(run, what, () => withdraw(group, instance, run.signal));
    if (end.kind === 'failed' && isUncertain(end)) {
      throw new Error(`${what} has failed (${end.code}: ${end.message}); it stays pending`);
    }
  }
}
