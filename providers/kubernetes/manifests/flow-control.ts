import { KUBERNETES_GROUP } from './groups.ts';
import { type KubernetesObject, MANAGED_BY } from './object.ts';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';

/** A priority level of API Priority and Fairness, or what sends requests to it. */
export interface FlowControlObject extends KubernetesObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * A share of the API server's concurrency for the functions' requests. Without a share, the requests are in
 * `global-default`, with all other users that have none: a controller that lists without end keeps evaluations waiting
 * there, and an evaluation's lists keep others waiting.
 *
 * The share is 10 of about 245 that Kubernetes' own levels have, all of which may be lent when it is not used. A list of a large
 * cluster takes up to ten seats, and an evaluation makes several at a time: they queue rather than fail. The precedence is
 * between those of the system's own schemas (up to 900) and `service-accounts` (9000).
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export const flowControl = (): readonly FlowControlObject[] => [
  {
    apiVersion: API_VERSION,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: KUBERNETES_GROUP, labels: MANAGED_BY },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 10,
        lendablePercent: 100,
        limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 4, queueLengthLimit: 50 } },
      },
    },
  },
  {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name: KUBERNETES_GROUP, labels: MANAGED_BY },
    spec: {
      priorityLevelConfiguration: { name: KUBERNETES_GROUP },
      matchingPrecedence: 1_000,
      // Requests are grouped by user: the requests of one function do not wait behind another function's.
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: KUBERNETES_GROUP } }],
          resourceRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'], clusterScope: true, namespaces: ['*'] }],
        },
      ],
    },
  },
];
