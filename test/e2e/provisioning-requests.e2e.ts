import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import {
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  type RequestStatus,
} from '../../core/model/cluster/provisioning-request.ts';
import { addTime, epochMs, minutes } from '../../core/model/values/time.ts';
import { requestStatuses } from '../../core/headroom/requests/request-status.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { group, scenario } from '../scenario-builders.ts';
import { PROVISIONING_REQUESTS } from './autoscaling-definitions.ts';
import { type DeploymentServer, startWithDeploymentRights } from './deployment-rights.ts';
import type { Kube } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';

// An API server of its own; requests are read, and their status is written, with the rights of a deployment, and no others.
const REQUESTS = '/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests';
let server: DeploymentServer;
let kube: Kube;
let asFunction: Transport;
const warnings: string[] = [];

beforeAll(async () => {
  server = await startWithDeploymentRights(
    'requests',
    rbac(undefined, false, undefined, { provisioningRequests: true, capacityQuotas: false }),
  );
  ({ kube, asFunction } = server);
});

afterAll(async () => {
  await server?.stop();
});

const create = async (name: string, className: string, count: number, podTemplate = 'worker') =>
  await kube.create(REQUESTS, {
    apiVersion: 'autoscaling.x-k8s.io/v1',
    kind: 'ProvisioningRequest',
    metadata: { name },
    spec: { provisioningClassName: className, podSets: [{ podTemplateRef: { name: podTemplate }, count }] },
  });

/** The conditions of a request, as the API server has them. */
async function saidOf(name: string): Promise<readonly string[]> {
  const { status } = await kube.get<{
    status?: { conditions: readonly { type: string; status: string; reason: string }[] };
  }>(`${REQUESTS}/${name}`);
  return (status?.conditions ?? []).map((one) => `${one.type}=${one.status} ${one.reason}`);
}

test('requests are none without their custom resource, then they are answered, booked and let go', async () => {
  const { reader, writer } = clusterAccessOver(asFunction, {
    namespace: 'kube-system',
    headroomKinds: { capacityBuffers: false, provisioningRequests: true, capacityQuotas: false },
    now: () => epochMs(Date.now()),
    warn: (message) => warnings.push(message),
  });
  const before = await reader.read();
  expect([before.objects.provisioningRequests, before.rejected]).toEqual([[], []]);

  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await kube.create(crds, PROVISIONING_REQUESTS);
  await kube.create('/api/v1/namespaces/default/podtemplates', {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'worker' },
    template: { spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }] } },
  });
  // The custom resource is served a moment after it was created.
  await vi.waitFor(async () => await create('atomic', BEST_EFFORT_ATOMIC, 6), { timeout: PATIENCE_MS, interval: 200 });
  await create('check', CHECK_CAPACITY, 1);
  await create('bad', CHECK_CAPACITY, 1, 'missing');
  await create('other', 'queued-provisioning.gke.io', 1);

  const written: RequestStatus[] = [];
  /** Evaluates once, so long after now, and writes the statuses. */
  const evaluate = async (after = minutes(0)) => {
    const { objects, rejected } = await reader.read();
    expect(rejected).toEqual([]);
    const now = addTime(epochMs(Date.now()), after);
    const of = {
      ...scenario({ groups: [group('a')], objects, options: { provisioningRequests: true, capacityQuotas: false } }),
      now,
    };
    const decision = evaluateScaleUp(of);
    for (const status of requestStatuses(of, decision)) {
      written.push(status);
      await writer.writeRequestStatus(status);
    }
    expect(warnings).toEqual([]);
    return decision.scaleUp;
  };

  expect((await evaluate()).increases).toEqual([{ group: 'a', from: 0, to: 2 }]);
  const given = ['Accepted=True Accepted', 'Provisioned=True CapacityIsProvisioned'];
  expect(await saidOf('atomic')).toEqual(given);
  expect((await saidOf('check'))[0]).toBe('Accepted=True Accepted');
  expect(await saidOf('bad')).toEqual(['Failed=True FailedToCreatePods']);
  expect(await saidOf('other')).toEqual([]);

  // Room that was given is held, and bought once.
  const held = await evaluate();
  expect(held.increases).toEqual([]);
  expect(held.provisioningRequests?.find(({ name }) => name === 'default/atomic')?.outcome).toBe('Booked');

  await evaluate(minutes(11));
  const answered = [...given, 'BookingExpired=True CapacityReservationTimeExpired'];
  expect(await saidOf('atomic')).toEqual(answered);

  // An evaluation that was overtaken writes late: what was said since stays.
  const late = written.find(({ name }) => name === 'atomic')!;
  await writer.writeRequestStatus(late);
  expect(await saidOf('atomic')).toEqual(answered);
  expect(warnings).toEqual([]);
});
