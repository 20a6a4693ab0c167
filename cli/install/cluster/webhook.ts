import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { readObject } from '@outrigger/providers/kubernetes/apply.ts';
import { webhookName } from '@outrigger/providers/kubernetes/manifests/webhook.ts';
import { fieldsOf, listedIn, textOf } from '../../migrate/deployment.ts';

/** The token in the webhook that the cluster has now; `null` where there is no webhook, or none with a token. */
export async function tokenInCluster(transport: Transport, cluster: string): Promise<string | null> {
  const object = await readObject(transport, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookName(cluster) },
  });
  const [first] = listedIn(object?.['webhooks']).map(fieldsOf);
  const url = textOf(fieldsOf(first?.['clientConfig'])['url']) ?? '';
  return URL.canParse(url) ? (/^\/([^/]+)\/[^/]+\/?$/.exec(new URL(url).pathname)?.[1] ?? null) : null;
}

/**
 * The URL that API servers call.
 *
 * @param output the stack's output `Webhook`, whose URL has TOKEN in the place of the token
 * @returns `null` where the output has no such URL
 */
export function urlWith(token: string, output: string | undefined): string | null {
  try {
    const manifest: unknown = JSON.parse(output ?? '');
    const [first] = listedIn(fieldsOf(manifest)['webhooks']).map(fieldsOf);
    const url = textOf(fieldsOf(first?.['clientConfig'])['url']);
    return url !== null && url.includes('/TOKEN/') ? url.replace('/TOKEN/', `/${token}/`) : null;
  } catch {
    return null;
  }
}
