import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type ApiResource, apiRequest, JSON_TYPE } from '@outrigger/providers/kubernetes/client/api-request.ts';
import { isRefusal } from '@outrigger/providers/kubernetes/client/api-error.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { KUBE_SCHEDULER } from '@outrigger/providers/kubernetes/manifests/webhook.ts';
import { fieldsOf, textOf } from '../../migrate/deployment.ts';
import { StepError } from '../journal.ts';

const EVENTS: ApiResource = { group: '', version: 'v1', resource: 'events' };
const NAMESPACE = 'default';

/** An event as the scheduler writes it, about a pod that does not exist. */
const EVENT = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { generateName: 'outrigger-webhook-check-', namespace: NAMESPACE },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: 'outrigger-webhook-check' },
  type: 'Normal',
  reason: 'FailedScheduling',
  message: 'outrigger install checks that this event reaches Outrigger. No pod is waiting.',
  source: { component: 'outrigger-install' },
};

/**
 * Causes one notification: creates an event as the scheduler, whose events alone pass the conditions of the webhook, and
 * deletes it again.
 *
 * @returns when the API server created it, by its own clock, in milliseconds since 1970
 * @throws StepError where the user may not impersonate the scheduler
 */
export async function sendTestWebhook(transport: Transport): Promise<number> {
  const created = await transport
    .send(
      apiRequest('create', EVENTS, {
        namespace: NAMESPACE,
        body: { contentType: JSON_TYPE, text: JSON.stringify(EVENT) },
        actingAs: KUBE_SCHEDULER,
      }),
      ({ body }) => fieldsOf(fieldsOf(JSON.parse(body.toString('utf8')) as unknown)['metadata']),
    )
    .catch((error: unknown) => {
      if (!isRefusal(error, 403)) {
        throw error;
      }
      throw new StepError(
        `The webhook cannot be tried: you may not act as ${KUBE_SCHEDULER}, whose events it takes.`,
        [
          'run it as a user with the right to impersonate users (AmazonEKSClusterAdminPolicy has it)',
          'or skip the webhook test: --skip-webhook-test',
        ],
        error,
      );
    });
  const name = textOf(created['name']);
  if (name !== null) {
    await transport
      .send(apiRequest('delete', EVENTS, { namespace: NAMESPACE, name }), () => undefined)
      .catch(() => {
        // The event expires in an hour anyway.
      });
  }
  return Date.parse(textOf(created['creationTimestamp']) ?? '');
}

/** Whether a notification has arrived. */
export type ArrivalCheck = (since: number) => Promise<boolean>;

/**
 * Asks the log of the ingest function, which has a metric for each notification that it passes on.
 *
 * @param logGroup of the function
 */
export const arrivedInLog =
  (logs: CloudWatchLogsClient, logGroup: string): ArrivalCheck =>
  async (since) => {
    const pages = paginateFilterLogEvents(
      { client: logs },
      { logGroupName: logGroup, startTime: since, filterPattern: '{ $.WebhookNotifications >= 1 }' },
    );
    for await (const { events = [] } of pages) {
      if (events.length > 0) {
        return true;
      }
    }
    return false;
  };

/** Looks for the notification after each ring: an API server takes some seconds to heed a new webhook. */
const TEST_WEBHOOKS = 10;
const LOOKS = 5;
const LOOK_PAUSE_MS = 2_000;
/** Creation times have whole seconds. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Rings until a notification has arrived, for a minute and a half.
 *
 * @returns whether one has
 */
export async function waitForWebhook(
  transport: Transport,
  arrived: ArrivalCheck,
  pause: (ms: number) => Promise<void>,
): Promise<boolean> {
  let since: number | null = null;
  for (let rung = 0; rung < TEST_WEBHOOKS; rung += 1) {
    const at = await sendTestWebhook(transport);
    since ??= at - CLOCK_SLACK_MS;
    for (let look = 0; look < LOOKS; look += 1) {
      await pause(LOOK_PAUSE_MS);
      if (await arrived(since)) {
        return true;
      }
    }
  }
  return false;
}
