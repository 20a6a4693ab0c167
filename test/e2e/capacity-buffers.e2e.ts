import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import { bufferStatuses } from '../../core/headroom/buffer-status.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { group, scenario } from '../scenario-builders.ts';
import { CAPACITY_BUFFERS } from './autoscaling-definitions.ts';
import { type DeploymentServer, startWithDeploymentRights } from './deployment-rights.ts';
import type { Kube } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';

// An API server of its own; buffers are read, and their status is written, with the rights of a deployment, and no others.
const GROUP = '/apis/autoscaling.x-k8s.io/v1beta1';
let server: DeploymentServer;
let kube: Kube;
let asFunction: Transport;
const warnings: string[] = [];

beforeAll(async () => {
  server = await startWithDeploymentRights('buffers', rbac(undefined, false, undefined, { capacityBuffers: true }));
  ({ kube, asFunction } = server);
});

afterAll(async () => {
  await server?.stop();
});

test('buffers are none without their custom resource, then they are read, and their status is written once', async () => {
  const { reader, writer } = clusterAccessOver(asFunction, {
    namespace: 'kube-system',
    headroomKinds: { capacityBuffers: true, provisioningRequests: false, capacityQuotas: false },
    now: () => epochMs(Date.now()),
    warn: (message) => warnings.push(message),
  });
  const before = await reader.read();
  expect([before.objects.capacityBuffers, before.rejected]).toEqual([[], []]);

  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', CAPACITY_BUFFERS);
  await kube.create('/api/v1/namespaces/default/podtemplates', {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'chunk' },
    template: { spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }] } },
  });
  // The custom resource is served a moment after it was created.
  const create = async () =>
    await kube.create(`${GROUP}/namespaces/default/capacitybuffers`, {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name: 'spare' },
      spec: { podTemplateRef: { name: 'chunk' }, replicas: 6 },
    });
  await vi.waitFor(create, { timeout: PATIENCE_MS, interval: 200 });

  const evaluate = async () => {
    const { objects, rejected } = await reader.read();
    expect(rejected).toEqual([]);
    const of = scenario({ groups: [group('a')], objects, options: { capacityBuffers: true } });
    const decision = evaluateScaleUp(of);
    return { decision, statuses: bufferStatuses(of, decision) };
  };
  const first = await evaluate();
  expect(first.decision.scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 2 }]);
  expect(first.statuses).toHaveLength(1);
  await writer.writeBufferStatus(first.statuses[0]!);
  expect(warnings).toEqual([]);
  const written = await kube.get<{ status: unknown }>(`${GROUP}/namespaces/default/capacitybuffers/spare`);
  expect(written.status).toMatchObject({
    replicas: 6,
    podTemplateRef: { name: 'chunk' },
    conditions: [
      { type: 'ReadyForProvisioning', status: 'True', observedGeneration: 1 },
      { type: 'LimitedByQuotas', status: 'False' },
      { type: 'Provisioning', status: 'True', reason: 'FakePodsInjected' },
    ],
  });
  expect((await evaluate()).statuses).toEqual([]);

  const quotas = '/api/v1/namespaces/default/resourcequotas';
  const hard = { 'requests.cpu': '4' };
  await kube.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'compute' }, spec: { hard } });
  // As the controller that counts quotas does.
  await kube.patch(`${quotas}/compute/status`, { status: { hard, used: { 'requests.cpu': '0' } } });
  const limited = await evaluate();
  expect(limited.decision.scaleUp.headroom).toMatchObject([{ wanted: 4, limit: { from: 6, quotas: ['compute'] } }]);
  await writer.writeBufferStatus(limited.statuses[0]!);
  expect(await kube.get(`${GROUP}/namespaces/default/capacitybuffers/spare`)).toMatchObject({
    status: {
      replicas: 4,
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'LimitedByQuotas',
          status: 'True',
          message: 'Buffer replicas limited from 6 to 4 due to quotas: compute',
        }),
      ]),
    },
  });
  expect([(await evaluate()).statuses, warnings]).toEqual([[], []]);
});
