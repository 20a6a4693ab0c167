import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import * as z from 'zod';
import { applyObject, readObject, type ObjectRemoval, removeVersion } from './apply.ts';
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
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    // The URL contains the token, so the message must not.
    throw new Error(
      'The webhook needs an https:// URL without user, query and fragment: an API server accepts no other. Put the token into the path.',
    );
  }
  return text;
}

/** The webhook of a process that is not deployed: beside the one of a deployment, which has another name. */
export interface LocalWebhook {
  readonly name: string;
  /** Removes the webhook, unless it is not what was installed any more. */
  readonly remove: (signal?: AbortSignal) => Promise<ObjectRemoval>;
}

export interface LocalWebhookTarget extends WebhookTarget {
  /** Whether a webhook of another address is replaced. */
  readonly replace: boolean;
}

/**
 * Installs the webhook of a process on a computer.
 *
 * @throws Error where such a webhook exists and may not be replaced; ApiError, also when the API server finds the
 *   configuration invalid.
 */
export async function installLocalWebhook(
  transport: Transport,
  cluster: string,
  { replace, ...target }: LocalWebhookTarget,
  signal?: AbortSignal,
): Promise<LocalWebhook> {
  const checked = checkedWebhook(cluster, target);
  const name = webhookName(`local-${cluster}`);
  const object = { ...checked, metadata: { ...checked.metadata, name } };
  const found = await readObject(transport, object, signal);
  const address = mapOptional(found, addressIn);
  if (address !== null && address !== addressOf(target.url) && !replace) {
    throw new Error(
      `The API server has a webhook ${name} for ${address}, of another process that runs, or of one that was killed. ` +
        'End that process, or add --replace-webhook',
    );
  }
  const version = await applyObject(transport, object, signal);
  return { name, remove: async (aborted) => await removeVersion(transport, object, version, aborted) };
}

/** Host and port of a URL; the rest is secret. */
const addressOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'another address');

const Configuration = z.object({
  webhooks: z.array(z.object({ clientConfig: z.object({ url: z.string().optional() }).optional() })).default([]),
});

function addressIn(stored: object): string | null {
  const { webhooks = [] } = Configuration.safeParse(stored).data ?? {};
  const url = webhooks.map(({ clientConfig }) => clientConfig?.url).find(Boolean);
  return mapOptional(url, addressOf) ?? null;
}
