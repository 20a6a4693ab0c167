import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { type KubernetesObject, MANAGED_BY } from './object.ts';

/** The target of the API server's notifications. */
export interface WebhookTarget {
  /** `https://…/<token>/<cluster>`: the token is part of the path, because admission URLs have no query. */
  readonly url: string;
  /**
   * PEM of the URL's certificate authority; `null`: an authority that the API server trusts by default, such as AWS'.
   */
  readonly ca: string | null;
  /** The users of schedulers beside kube-scheduler whose events count: see `isSchedulerUser`. */
  readonly schedulerUsers?: readonly string[];
  /**
   * Whether the webhook is called for nodes that await their pods and become ready (`plannedPlacement`); absent: no.
   */
  readonly readyNodes?: boolean | undefined;
}

/** kube-scheduler's user, on EKS and elsewhere. */
export const KUBE_SCHEDULER = 'system:kube-scheduler';

/**
 * Whether this can be the user of a scheduler, such as `system:serviceaccount:kube-system:my-scheduler`. It becomes
 * part of an expression.
 */
export const isSchedulerUser = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9:._@/-]{0,252}$/.test(name);

/**
 * The name of a cluster's webhook configuration. EKS allows capitals and underscores in cluster names, Kubernetes does
 * not.
 */
export const webhookName = (cluster: string): string =>
  `outrigger-${cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')}`.replace(/[-.]+$/, '');

/** The object that makes the API server send a notification when a pod is unschedulable, or a node is ready for its pods. */
export interface ValidatingWebhookConfiguration extends KubernetesObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly webhooks: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Builds the webhook configuration of a cluster.
 *
 * It applies to the event that the scheduler creates when it finds no node, and not to the pod's status, although the
 * status has the same information: a webhook delays the write that triggers it, and the scheduler waits for the status
 * patch of one pod before it schedules the next, whereas events are recorded asynchronously.
 *
 * @throws Error for an invalid user of a scheduler. The URL is not checked: in a template it is not known yet.
 */
export function webhookConfiguration(cluster: string, target: WebhookTarget): ValidatingWebhookConfiguration {
  const { url, ca } = target;
  const clientConfig = ca === null ? { url } : { url, caBundle: Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookName(cluster), labels: MANAGED_BY },
    webhooks: [
      {
        name: 'failed-scheduling.outrigger.dev',
        clientConfig,
        // The scheduler writes events.k8s.io/v1, other components still the core kind. Both are listed, so that with
        // `Exact` every event is sent as it was written and none twice; `Equivalent` would convert.
        rules: [eventsOf(''), eventsOf('events.k8s.io')],
        matchPolicy: 'Exact',
        matchConditions: [
          // Evaluated inside the API server: all other events cost no call.
          { name: 'no-node-found', expression: "has(object.reason) && object.reason == 'FailedScheduling'" },
          // Otherwise permission to create events in one namespace would be enough to trigger evaluations.
          { name: 'from-a-scheduler', expression: fromScheduler(target.schedulerUsers ?? []) },
          NOT_A_DRY_RUN,
        ],
        ...NOTIFICATION,
      },
      ...itemsIf(target.readyNodes === true, [readyNodes(clientConfig)]),
    ],
  };
}

/** The core's `AWAITING_PODS_TAINT`: the stack loads nothing of it. */
const AWAITING_PODS = 'outrigger.dev/awaiting-pods';

const NOT_A_DRY_RUN = { name: 'not-a-dry-run', expression: '!(has(request.dryRun) && request.dryRun)' };

const NOTIFICATION = {
  // A notification triggers an evaluation, which is a side effect, so `None` would be wrong. A dry run never
  // passes the conditions above, as NoneOnDryRun requires.
  sideEffects: 'NoneOnDryRun',
  // Notifications are optional: the scheduled evaluation finds what a lost one was about.
  failurePolicy: 'Ignore',
  timeoutSeconds: 2,
  admissionReviewVersions: ['v1'],
};

/**
 * The webhook for nodes that await their pods and become ready: by the status (the kubelet), or by the removal of the
 * last taint that kept pods off (the node lifecycle controller removes `node.kubernetes.io/not-ready` after the
 * status); or a device plugin has announced the devices of a ready node. The webhook delays a few writes in the life of
 * such a node, and of no other node.
 */
const readyNodes = (clientConfig: object) => ({
  name: 'ready-node.outrigger.dev',
  clientConfig,
  rules: [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['nodes', 'nodes/status'],
      operations: ['UPDATE'],
      scope: 'Cluster',
    },
  ],
  matchPolicy: 'Exact',
  matchConditions: [
    {
      name: 'awaits-pods',
      expression: `has(object.spec.taints) && object.spec.taints.exists(t, t.key == '${AWAITING_PODS}')`,
    },
    { name: 'is-ready', expression: `${isReady('object')} && !${hasNodeTaint('object')}` },
    {
      name: 'was-not',
      expression: `!${isReady('oldObject')} || (has(oldObject.spec.taints) && size(oldObject.spec.taints) > size(object.spec.taints)) || ${OTHER_ALLOCATABLE}`,
    },
    NOT_A_DRY_RUN,
  ],
  ...NOTIFICATION,
});

/** Devices are announced by name and number, and one that is not healthy is not allocatable. */
const OTHER_ALLOCATABLE =
  '(has(object.status.allocatable) && has(oldObject.status.allocatable) && object.status.allocatable != oldObject.status.allocatable)';

const isReady = (object: string): string =>
  `(has(${object}.status.conditions) && ${object}.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True'))`;

/** A taint of Kubernetes' own, for a condition of the node: it keeps pods off all the same. */
const hasNodeTaint = (object: string): string =>
  `${object}.spec.taints.exists(t, t.key.startsWith('node.kubernetes.io/') || t.key.startsWith('node.cloudprovider.kubernetes.io/'))`;

/**
 * The scheduler writes one event when it finds no node for a pod, and updates it once when it fails again, for example
 * after new nodes have been filled with other pods. Later failures are not written for minutes; the scan covers those.
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
      `${JSON.stringify(wrong)} is not a user of a scheduler: expected one such as system:serviceaccount:kube-system:my-scheduler.`,
    );
  }
  const users = [...new Set([KUBE_SCHEDULER, ...others])].map((user) => `'${user}'`);
  return `request.userInfo.username in [${users.join(', ')}]`;
}
