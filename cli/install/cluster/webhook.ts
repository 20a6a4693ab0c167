import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { readObject } from '@outrigger/providers/kubernetes/apply.ts';
import { webhookName } from '@outrigger/providers/kubernetes/manifests/webhook.ts';
import { fieldsOf, listedIn, textOf } from '../../migrate/deployment.ts';

/** The URLs of the webhook that the cluster has now, one for each kind of notification; `null` where there is no webhook. */
export async function urlsInCluster(transport: Transport, cluster: string): Promise<readonly string[] | null> {
  const object = await readObject(transport, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookName(cluster) },
  });
  return mapOptional(object, urlsIn);
}

/** The token in the webhook that the cluster has now; `null` where there is no webhook, or none with a token. */
export async function tokenInCluster(transport: Transport, cluster: string): Promise<string | null> {
  const [url = ''] = (await urlsInCluster(transport, cluster)) ?? [];
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return /^\/([^/]+)\/[^/]+\/?$/.exec(path)?.[1] ?? null;
}

/** The URL of each webhook of a configuration, of one at least; empty for a webhook without a URL. */
function urlsIn(configuration: unknown): readonly [string, ...string[]] {
  const urlOf = (webhook: unknown): string => textOf(fieldsOf(fieldsOf(webhook)['clientConfig'])['url']) ?? '';
  const [first, ...others] = listedIn(fieldsOf(configuration)['webhooks']);
  return [urlOf(first), ...others.map(urlOf)];
}

/** The URL in the stack's output `Webhook`, with TOKEN in the place of the token; `null` where there is none. */
export function urlInOutput(output = ''): string | null {
  try {
    return urlsIn(JSON.parse(output))[0] || null;
  } catch {
    return null;
  }
}

/**
 * The URL that API servers call.
 *
 * @param output the stack's output `Webhook`, whose URL has TOKEN in the place of the token
 * @returns `null` where the output has no such URL
 */
export function urlWith(token: string, output: string | undefined): string | null {
  const url = urlInOutput(output);
  return url?.includes('/TOKEN/') === true ? url.replace('/TOKEN/', `/${token}/`) : null;
}
