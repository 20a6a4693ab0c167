import { isRefusal } from './client/api-error.ts';
import { type ApiResource, apiRequest } from './client/api-request.ts';
import type { Transport } from './client/transport.ts';

/** Where the API server sends its notifications. */
export interface WebhookTarget {
  /** `https://…/<token>/<cluster>`: a token can only be a step of the path, for admission URLs have no query. */
  readonly url: string;
  /** PEM of the authority behind the URL's certificate; `null`: one that the API server trusts anyway, as AWS' own. */
  readonly ca: string | null;
  /** The users of schedulers beside kube-scheduler whose events count: see `isSchedulerUser`. */
  readonly schedulerUsers?: readonly string[];
}

/** The user that kube-scheduler is to an API server, on EKS and elsewhere. */
const KUBE_SCHEDULER = 'system:kube-scheduler';

/** Can this be the user of a scheduler, as in `system:serviceaccount:kube-system:my-scheduler`? It goes into an expression. */
export const isSchedulerUser = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9:._@/-]{0,252}$/.test(name);

const WEBHOOKS: ApiResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
};

const FIELD_MANAGER = 'outrigger';

/** The name of a cluster's webhook configuration. EKS allows capitals and underscores in cluster names, Kubernetes does not. */
export const webhookName = (cluster: string): string =>
  `outrigger-${cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')}`.replace(/[-.]+$/, '');

/** What the API server must hold to send a notification when a pod finds no node. */
export interface ValidatingWebhookConfiguration {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Builds the webhook configuration of a cluster.
 *
 * It hangs on the creation of the event that the scheduler writes when it finds no node, and not on the pod's status,
 * although that says the same: a webhook holds up the write that sets it off, and the scheduler waits for the status
 * patch of one pod before it looks at the next, whereas it hands events to a recorder that nobody waits for.
 *
 * @throws Error for a URL that an API server would not take, and for a scheduler's user that cannot be one.
 */
export function webhookConfiguration(cluster: string, target: WebhookTarget): ValidatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookName(cluster), labels: { 'app.kubernetes.io/managed-by': 'outrigger' } },
    webhooks: [
      {
        name: 'failed-scheduling.outrigger.dev',
        clientConfig: {
          url: checkedUrl(target.url),
          ...(target.ca === null ? {} : { caBundle: Buffer.from(target.ca).toString('base64') }),
        },
        // The scheduler writes events.k8s.io/v1, others still the core kind. Both are named, so that with `Exact` every
        // event comes as it was written and none twice; `Equivalent` would convert.
        rules: [eventsOf(''), eventsOf('events.k8s.io')],
        matchPolicy: 'Exact',
        matchConditions: [
          // Evaluated inside the API server: all other events cost no call.
          { name: 'no-node-found', expression: "has(object.reason) && object.reason == 'FailedScheduling'" },
          // Whoever may create events in one namespace would wake the cluster at will otherwise.
          { name: 'from-a-scheduler', expression: fromScheduler(target.schedulerUsers ?? []) },
          { name: 'not-a-dry-run', expression: '!(has(request.dryRun) && request.dryRun)' },
        ],
        // Ringing wakes Outrigger, which is an effect outside the request, so `None` would not be true. A dry run never
        // gets past the conditions above, which is what NoneOnDryRun promises.
        sideEffects: 'NoneOnDryRun',
        // A hint and nothing more: the scheduled evaluation finds what a lost notification did not announce.
        failurePolicy: 'Ignore',
        timeoutSeconds: 2,
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

/**
 * The scheduler writes one event when it finds no node for a pod, and updates it, once, when it fails again: after new
 * nodes have come and others took them, say. Later failures are not written for minutes; the schedule finds those.
 */
const eventsOf = (group: string) => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  resources: ['events'],
  operations: ['CREATE', 'UPDATE'],
  scope: 'Namespaced',
});

function fromScheduler(others: readonly string[]): string {
  const wrong = others.find((user) => !isSchedulerUser(user));
  if (wrong !== undefined) {
    throw new Error(
      `${JSON.stringify(wrong)} is no user of a scheduler: expected one such as system:serviceaccount:kube-system:my-scheduler.`,
    );
  }
  const users = [...new Set([KUBE_SCHEDULER, ...others])].map((user) => `'${user}'`);
  return `request.userInfo.username in [${users.join(', ')}]`;
}

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
    // The URL holds the token: it is not repeated here.
    throw new Error(
      'The webhook needs an https:// URL without user, query and fragment: an API server takes no other. Put the token into the path.',
    );
  }
  return text;
}

/**
 * Installs the webhook, or makes an existing one as it should be: a server-side apply that owns all of it.
 *
 * @throws ApiError, also when the API server finds the configuration invalid.
 */
export async function applyWebhook(
  transport: Transport,
  cluster: string,
  target: WebhookTarget,
  signal?: AbortSignal,
): Promise<void> {
  const configuration = webhookConfiguration(cluster, target);
  await transport.send(
    apiRequest('patch', WEBHOOKS, {
      name: configuration.metadata.name,
      query: { fieldManager: FIELD_MANAGER, force: 'true' },
      // JSON is YAML.
      body: { contentType: 'application/apply-patch+yaml', text: JSON.stringify(configuration) },
    }),
    () => undefined,
    signal,
  );
}

/** Removes the webhook. One that is not there is as good as removed. */
export async function removeWebhook(transport: Transport, cluster: string, signal?: AbortSignal): Promise<void> {
  try {
    await transport.send(apiRequest('delete', WEBHOOKS, { name: webhookName(cluster) }), () => undefined, signal);
  } catch (error) {
    if (!isRefusal(error, 404)) {
      throw error;
    }
  }
}
