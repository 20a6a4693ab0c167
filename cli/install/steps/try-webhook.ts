import { waitForWebhook, arrivedInLog } from '../cluster/test-webhook.ts';
import { stepDone, StepError, type StepResult, would } from '../journal.ts';
import type { InstallPlace } from '../place.ts';
import { listResources, resourceOf } from '../stack/deployed.ts';

/**
 * Has the API server notify Outrigger once, and waits until the notification has arrived.
 *
 * @throws StepError when none arrives
 */
export async function tryWebhook(
  { stack, logs, transport, access }: Pick<InstallPlace, 'stack' | 'logs' | 'transport' | 'access'>,
  dryRun: boolean,
): Promise<StepResult<null>> {
  if (dryRun) {
    return would('Would have the API server send a notification, and wait for it.', null);
  }
  const log = resourceOf(await listResources(stack), 'AWS::Logs::LogGroup', 'IngestLogs');
  if (log === null) {
    throw new StepError(`The stack ${stack.name} has no log of the function that takes notifications.`);
  }
  if (await waitForWebhook(transport, arrivedInLog(logs, log), access.pause)) {
    return stepDone('A notification of the API server has arrived.', null);
  }
  throw new StepError('No notification of the API server has arrived.', [
    'see whether the control plane reaches the internet: npx outrigger doctor tells the egress mode of the cluster',
    `see what the function says: aws logs tail ${log}`,
    'or skip the test: npx outrigger install --skip-webhook-test (pending pods are then found every minute)',
  ]);
}
