import type { DynamoDBStreamEvent, EventBridgeEvent } from 'aws-lambda';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { noticeMessages } from '@outrigger/core/words/notice-messages.ts';
import { type AssignedNotices, assignNotices } from '@outrigger/providers/notices/assign.ts';
import { parseInstanceEvent } from '@outrigger/providers/schema/notice.ts';
import { sendMessages } from '../shared/messages.ts';
import type { Cluster, Work, Services } from '../shared/services.ts';

type WakeServices = Pick<
  Services,
  'now' | 'log' | 'metrics' | 'store' | 'inbox' | 'messages' | 'dryRun' | 'wake' | 'wakeAtOnce'
> & { readonly terminations: Cluster['terminations'] };

/**
 * Takes in what AWS reports about instances: from the event bus into the inbox, from there with the table's stream to the
 * notices of the cluster, which is evaluated at once. A cluster that is only observed, and one without Auto Scaling groups,
 * has no notices: it is woken. Rejects when a call fails, and is called again.
 *
 * @param region of the cluster; `null`: any
 */
export function createWake(
  services: WakeServices,
  cluster: ClusterName,
  region: string | null = null,
): Work<EventBridgeEvent<string, unknown> | DynamoDBStreamEvent, void> {
  const terminations = services.dryRun ? undefined : services.terminations;
  return async (event, { signal }) => {
    if ('Records' in event) {
      if (terminations !== undefined) {
        await takeIn(services, await assignNotices(services, terminations, cluster, signal), cluster, signal);
      }
      return;
    }
    const parsed = parseInstanceEvent(event, region, services.now());
    if (!parsed.ok) {
      services.metrics.count('UnreadableEvents', 1);
      services.log.warn('An event about instances could not be read and is dropped', { expected: parsed.error });
    } else if (parsed.value.kind === 'nothing') {
      services.log.debug(`An event about instances announces nothing: ${parsed.value.why}`);
    } else if (parsed.value.kind === 'announced' && terminations !== undefined) {
      await services.inbox.add(cluster, parsed.value, signal);
    } else {
      await services.wake(cluster);
    }
  };
}

/** The evaluation is urgent: the messages are sent beside it. */
async function takeIn(
  services: WakeServices,
  { instances, added }: AssignedNotices,
  cluster: ClusterName,
  signal: AbortSignal,
): Promise<void> {
  if (instances > 0) {
    await services.wakeAtOnce(cluster);
  }
  await sendMessages(services, cluster, () => noticeMessages(cluster, added, services.now()), signal);
}
