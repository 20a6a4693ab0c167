/**
 * A custom resource of `autoscaling.x-k8s.io`, with the subresource of its status and the conditions of Cluster Autoscaler's.
 *
 * @param approval without which the API server admits no such group.
 * @param status fields beside the conditions.
 */
const definition = (kind: string, version: string, approval: string, status: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${kind.toLowerCase()}s.autoscaling.x-k8s.io`,
    annotations: { 'api-approved.kubernetes.io': approval },
  },
  spec: {
    group: 'autoscaling.x-k8s.io',
    names: { kind, listKind: `${kind}List`, plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase() },
    scope: 'Namespaced',
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', properties: { ...status, conditions: CONDITIONS } },
            },
          },
        },
      },
    ],
  },
});

const CONDITIONS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      message: { type: 'string', maxLength: 32768 },
      observedGeneration: { type: 'integer', format: 'int64' },
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
  },
};

export const CAPACITY_BUFFERS = definition(
  'CapacityBuffer',
  'v1beta1',
  'https://github.com/kubernetes/autoscaler/pull/8151',
  {
    replicas: { type: 'integer', format: 'int32' },
    provisioningStrategy: { type: 'string' },
    podTemplateRef: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  },
);

export const PROVISIONING_REQUESTS = definition(
  'ProvisioningRequest',
  'v1',
  'https://github.com/kubernetes/autoscaler/pull/5848',
);
