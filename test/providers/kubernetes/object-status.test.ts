import { expect, it } from 'vitest';
import type { BufferStatus } from '../../../core/model/cluster/capacity-buffer.ts';
import { createObjectStatusWriter } from '../../../providers/kubernetes/object-status.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { NOW } from '../../scenario-builders.ts';
import { apiServer, refuse } from './api-server.ts';

type Writer = ReturnType<typeof createObjectStatusWriter>;

const STATUS: BufferStatus = {
  namespace: 'default',
  name: 'spare',
  replicas: 3,
  provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
  podTemplate: 'chunk',
  conditions: [
    {
      type: 'Provisioning',
      status: 'True',
      reason: 'FakePodsInjected',
      message: '',
      since: NOW,
      observedGeneration: 2,
    },
  ],
};

async function write(
  status: number,
  send = ({ writeBufferStatus }: Writer): Promise<void> => writeBufferStatus(STATUS),
): Promise<{ readonly seen: unknown; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const found: unknown[] = [];
  await using server = await apiServer((seen, response) => {
    found.push([seen.method, seen.path, JSON.parse(seen.body)]);
    if (status === 200) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } else {
      refuse(response, status, 'Forbidden', 'no');
    }
  });
  const transport = createTransport(server.connection, { firstPauseMs: 5 });
  await send(createObjectStatusWriter(transport, { warn: (message) => warnings.push(message) }));
  transport.close();
  return { seen: found[0], warnings };
}

it('the status of a buffer is applied to its subresource', async () => {
  const { seen, warnings } = await write(200);
  expect(warnings).toEqual([]);
  expect(seen).toEqual([
    'PATCH',
    '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers/spare/status',
    {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { namespace: 'default', name: 'spare' },
      status: {
        replicas: 3,
        provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
        podTemplateRef: { name: 'chunk' },
        conditions: [
          {
            type: 'Provisioning',
            status: 'True',
            reason: 'FakePodsInjected',
            message: '',
            observedGeneration: 2,
            lastTransitionTime: '2026-01-01T12:00:00Z',
          },
        ],
      },
    },
  ]);
});

it('a status that cannot be written is reported, and fails nothing', async () => {
  const { warnings } = await write(403);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('The status of CapacityBuffer default/spare could not be written');
});

const { namespace, conditions } = STATUS;
const ofRequest =
  (resourceVersion: string) =>
  ({ writeRequestStatus }: Writer): Promise<void> =>
    writeRequestStatus({ namespace, name: 'run', resourceVersion, conditions });

it('the status of a request is applied to the version that was decided about', async () => {
  const { seen } = await write(200, ofRequest('41'));
  expect(seen).toEqual([
    'PATCH',
    '/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests/run/status',
    {
      apiVersion: 'autoscaling.x-k8s.io/v1',
      kind: 'ProvisioningRequest',
      metadata: { namespace: 'default', name: 'run', resourceVersion: '41' },
      status: {
        conditions: [expect.objectContaining({ type: 'Provisioning', lastTransitionTime: '2026-01-01T12:00:00Z' })],
      },
    },
  ]);
});

it.each([
  ['41', 409, 0],
  ['41', 403, 1],
  ['', 409, 1],
])(
  'of version "%s", an answer %i is reported %i times: one that was overtaken is not',
  async (version, status, times) => {
    const { warnings } = await write(status, ofRequest(version));
    expect(warnings).toHaveLength(times);
  },
);
