import { applyObject, removeObject } from './apply.ts';
import type { Transport } from './client/transport.ts';
import {
  type ValidatingWebhookConfiguration,
  webhookConfiguration,
  webhookName,
  type WebhookTarget,
} from './manifests/webhook.ts';

/**
 * The webhook configuration of a cluster, for an address that is known.
 *
 * @throws Error for a URL that an API server would not accept, and for an invalid user of a scheduler.
 */
export const checkedWebhook = (cluster: string, target: WebhookTarget): ValidatingWebhookConfiguration =>
  webhookConfiguration(cluster, { ...target, url: checkedUrl(target.url) });

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    url.protocol !== 'https:' ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    /[?#]/.test(text)
  ) {
    // The URL contains the token, so the message must not.
    throw new Error(
      'The webhook needs an https:// URL without user, query and fragment: an API server accepts no other. Put the token into the path.',
    );
  }
  return text;
}

/**
 * Creates or updates the webhook: a server-side apply that owns all fields.
 *
 * @throws ApiError, also when the API server finds the configuration invalid.
 */
export const applyWebhook = async (
  transport: Transport,
  cluster: string,
  target: WebhookTarget,
  signal?: AbortSignal,
): Promise<void> => await applyObject(transport, checkedWebhook(cluster, target), signal);

/**
 * Removes the webhook, if it exists.
 *
 * @returns whether it did
 */
export const removeWebhook = async (transport: Transport, cluster: string, signal?: AbortSignal): Promise<boolean> =>
  await removeObject(
    transport,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: webhookName(cluster) },
    },
    signal,
  );
