import { describe, expect, it } from 'vitest';
import type { HeadroomKinds } from '../../../../providers/kubernetes/read/headroom-sources.ts';
import { writeCapacityBuffer } from '../../../../providers/manifest/capacity-buffer.ts';
import type { CapacityQuota } from '../../../../core/model/cluster/capacity-quota.ts';
import { writeCapacityQuota } from '../../../../providers/manifest/capacity-quota.ts';
import { writeProvisioningRequest } from '../../../../providers/manifest/provisioning-request.ts';
import type { ProvisioningRequest } from '../../../../core/model/cluster/provisioning-request.ts';
import type { ResourceQuota } from '../../../../core/model/cluster/resource-quota.ts';
import { writeResourceQuota } from '../../../../providers/manifest/resource-quota.ts';
import { writePodTemplate } from '../../../../providers/manifest/pod-template.ts';
import { explainInvalid } from '../../../../providers/manifest/invalid.ts';
import { buffer, template } from '../../../core/headroom/given.ts';
import { condition, request } from '../../../core/headroom/requests/given.ts';
import { KINDS } from '../kinds.ts';
import { apiServer, type Handler, json, refuse } from '../api-server.ts';
import { createClusterReader } from '../../../cluster-access.ts';

const list =
  (kind: string, items: readonly unknown[]): Handler =>
  (_seen, response) =>
    json(response, 200, { kind: `${kind}List`, apiVersion: 'v1', metadata: {}, items });
/**
 * The reader's result and the paths of its requests, given these answers; every other path answers with an empty list.
 */
async function read(answers: Readonly<Record<string, Handler>>, given: Partial<HeadroomKinds> = {}) {
  const asked: string[] = [];
  await using server = await apiServer((seen, response, count) => {
    const resource = seen.path.split('/').at(-1)!;
    asked.push(resource);
    const kind = resource === 'resourcequotas' ? 'ResourceQuota' : KINDS[resource];
    const answer = answers[resource] ?? (kind === undefined ? notFound : list(kind, []));
    answer(seen, response, count);
  });
  const headroomKinds = { capacityBuffers: true, provisioningRequests: true, capacityQuotas: true, ...given };
  const reader = createClusterReader(server.connection, { transport: { firstPauseMs: 5 }, headroomKinds });
  try {
    const { objects, rejected } = await reader.read();
    return { objects, rejected, asked, seen: server.seen };
  } finally {
    reader.close();
  }
}
const notFound: Handler = (_seen, response) => refuse(response, 404, 'NotFound', 'not found');
const buffers = (...of: Parameters<typeof buffer>[]) =>
  list(
    'CapacityBuffer',
    of.map((one) => writeCapacityBuffer(buffer(...one))),
  );

/** Answers with so many requests at a time, as kube-apiserver does: a page goes on behind the last request of the one before. */
const requestsByPage =
  (requests: readonly ProvisioningRequest[], padding: number, most: number): Handler =>
  ({ query }, response) => {
    const excluded = (query.get('fieldSelector') ?? '').split(',');
    const rest = requests
      .map((one, i) => ({ one, token: i + 1 }))
      .slice(Number(query.get('continue') ?? 0))
      .filter(({ one }) => !excluded.includes(`metadata.namespace!=${one.namespace}`));
    const page = rest.slice(0, most);
    const metadata = page.length < rest.length ? { continue: String(page.at(-1)!.token) } : {};
    const items = page.map(({ one }) => ({ ...writeProvisioningRequest(one), padding: 'x'.repeat(padding) }));
    json(response, 200, { kind: 'ProvisioningRequestList', apiVersion: 'v1', metadata, items });
  };

it('ResourceQuotas are read where controllers ask, though there is neither a buffer nor a request', async () => {
  const given = { capacityBuffers: false, provisioningRequests: false, capacityQuotas: false };
  expect((await read({}, { ...given, enableProactiveScaleup: true })).asked).toContain('resourcequotas');
  expect((await read({}, given)).asked).not.toContain('resourcequotas');
});

describe('capacity buffers', () => {
  it('are read with the templates that they name', async () => {
    const chunk = template('chunk', { cpu: '1' });
    const { objects, rejected } = await read({
      capacitybuffers: buffers(['spare', { replicas: 3, percentage: 20 }]),
      podtemplates: list('PodTemplate', [writePodTemplate(chunk)]),
    });
    expect(rejected).toEqual([]);
    expect(objects.capacityBuffers).toEqual([buffer('spare', { replicas: 3, percentage: 20 })]);
    expect(objects.podTemplates).toMatchObject([{ name: 'chunk', pod: { spec: chunk.pod.spec } }]);
  });

  it('are read with the quotas that limit them; without buffers no quota is asked for', async () => {
    const compute: ResourceQuota = {
      namespace: 'default',
      name: 'compute',
      hard: { cpu: 4_000 },
      used: { cpu: 1_000 },
      scopes: [],
    };
    const resourcequotas = list('ResourceQuota', [writeResourceQuota(compute)]);
    const { objects } = await read({ capacitybuffers: buffers(['spare', { podTemplate: null }]), resourcequotas });
    expect(objects.resourceQuotas).toEqual([compute]);
    const without = await read({ capacitybuffers: buffers(), resourcequotas });
    expect([without.objects.resourceQuotas, without.asked.includes('resourcequotas')]).toEqual([[], false]);
  });

  it('get no capacity beside a quota that cannot be read', async () => {
    const compute: ResourceQuota = { namespace: 'default', name: 'compute', hard: {}, used: {}, scopes: [] };
    const scopeSelector = { matchExpressions: [{ scopeName: 'Future', operator: 'Exists' }] };
    const resourcequotas = list('ResourceQuota', [{ ...writeResourceQuota(compute), spec: { scopeSelector } }]);
    const { objects, rejected } = await read({
      capacitybuffers: buffers(['spare', { podTemplate: null }]),
      resourcequotas,
    });
    expect(objects.resourceQuotas).toEqual([{ ...compute, hard: { pods: 0 } }]);
    expect(rejected).toMatchObject([
      { place: 'ResourceQuota default/compute: spec.scopeSelector.matchExpressions[0].scopeName', found: '"Future"' },
    ]);
  });

  it('that name no template ask for none', async () => {
    const scalable = { apiGroup: 'apps', kind: 'Deployment', name: 'web' };
    const { objects, asked } = await read({
      capacitybuffers: buffers(['spare', { podTemplate: null, scalable, replicas: 1 }]),
    });
    expect(objects.capacityBuffers).toMatchObject([{ scalable }]);
    expect(asked).not.toContain('podtemplates');
  });

  it('with a selector that Kubernetes would not accept limit nothing, and that is told', async () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] };
    const quota = { metadata: { name: 'odd' }, spec: { selector, limits: { resources: { nodes: 1 } } } };
    const { objects, rejected } = await read({ capacityquotas: list('CapacityQuota', [quota]) });
    expect(objects.capacityQuotas).toEqual([]);
    expect(rejected).toEqual([
      {
        place: 'CapacityQuota odd: spec.selector',
        expected: 'a label selector',
        found: '"Gt" is not a valid label selector operator',
        liftsLimit: true,
      },
    ]);
  });

  it('are none where the custom resource does not exist', async () => {
    const { objects, rejected } = await read({});
    expect([objects.capacityBuffers, objects.podTemplates, rejected]).toEqual([[], [], []]);
  });

  it('are not asked for without the option', async () => {
    const { asked } = await read(
      { capacitybuffers: buffers(['spare', {}]) },
      { capacityBuffers: false, provisioningRequests: false, capacityQuotas: false },
    );
    expect(asked).toContain('pods');
    expect(asked).not.toContain('capacitybuffers');
  });

  it('that cannot be read are reported, and the others are read', async () => {
    const wrong = { ...writeCapacityBuffer(buffer('wrong')), spec: { replicas: 'three' } };
    const { objects, rejected } = await read({
      capacitybuffers: list('CapacityBuffer', [wrong, writeCapacityBuffer(buffer('right', { replicas: 1 }))]),
      podtemplates: list('PodTemplate', []),
    });
    expect(objects.capacityBuffers.map(({ name }) => name)).toEqual(['right']);
    expect(rejected).toMatchObject([{ place: 'CapacityBuffer default/wrong: spec.replicas' }]);
  });

  it('that may not be read fail the whole: the message has the missing rule', async () => {
    const denied: Handler = (_seen, response) => refuse(response, 403, 'Forbidden', 'no');
    await expect(read({ capacitybuffers: denied })).rejects.toThrow(/capacitybuffers/);
  });
});

describe('provisioning requests', () => {
  const given = request('run', { parameters: { noRetry: 'true' }, conditions: [condition('Accepted', 3)] });
  const requests = list('ProvisioningRequest', [writeProvisioningRequest(given)]);

  it('are read with the templates of their pods', async () => {
    const { objects, rejected } = await read({
      provisioningrequests: requests,
      podtemplates: list('PodTemplate', [writePodTemplate(template('chunk', { cpu: '1' }))]),
    });
    expect(rejected).toEqual([]);
    expect(objects.provisioningRequests).toEqual([given]);
    expect(objects.podTemplates).toMatchObject([{ name: 'chunk' }]);
  });

  it('are none where the custom resource does not exist, and buffers are read all the same', async () => {
    const { objects } = await read({ capacitybuffers: buffers(['spare', { podTemplate: null }]) });
    expect([objects.provisioningRequests, objects.capacityBuffers.length]).toEqual([[], 1]);
  });

  it('are asked for with their own option alone', async () => {
    const answers = { provisioningrequests: requests, podtemplates: list('PodTemplate', []) };
    const { asked } = await read(answers, { capacityBuffers: false });
    expect(asked).toContain('provisioningrequests');
    expect(asked).not.toContain('capacitybuffers');
    const without = await read(answers, { provisioningRequests: false });
    expect(without.asked).not.toContain('provisioningrequests');
  });

  it('that cannot be read are reported, and the others are read', async () => {
    const wrong = writeProvisioningRequest(request('wrong', { podSets: [{ podTemplate: 'chunk', count: 0 }] }));
    const { objects, rejected } = await read({
      provisioningrequests: list('ProvisioningRequest', [wrong, writeProvisioningRequest(given)]),
      podtemplates: list('PodTemplate', []),
    });
    expect(objects.provisioningRequests.map(({ name }) => name)).toEqual(['run']);
    expect(rejected).toMatchObject([{ place: 'ProvisioningRequest default/wrong: spec.podSets[0].count' }]);
  });
});

describe('objects of a namespace beyond 16 MiB', () => {
  const NAMES = ['default/a', ...Array.from({ length: 20 }, (_, i) => `evil/${i}`), 'prod/b', 'prod/c', 'prod/d'];
  const all = NAMES.map((key) => {
    const [namespace, name] = key.split('/');
    return request(name!, { namespace: namespace!, uid: `uid-${key}` });
  });
  const answers = { provisioningrequests: requestsByPage(all, 1024 * 1024, 4), podtemplates: list('PodTemplate', []) };

  it('are not read, which is reported once, and those of other namespaces are', async () => {
    const { objects, rejected } = await read(answers);
    const names = objects.provisioningRequests.map(({ namespace, name }) => `${namespace}/${name}`);
    expect(names).toEqual(NAMES.filter((key) => !key.startsWith('evil/') || Number(key.slice(5)) < 15));
    expect(rejected.map(explainInvalid)).toEqual([
      'ProvisioningRequest objects of namespace evil: expected at most 16 MiB of them, as JSON, found more: those beyond the first 16 MiB are not read, in the order of their names',
    ]);
  });

  it('are not asked for any more', async () => {
    const { seen } = await read(answers);
    const asked = seen.filter(({ path }) => path.endsWith('/provisioningrequests'));
    const selectors = asked.map(({ query }) => query.get('fieldSelector'));
    expect(selectors).toEqual([null, null, null, null, null, 'metadata.namespace!=evil']);
  });
});

describe('capacity quotas', () => {
  const given: CapacityQuota = {
    name: 'spot',
    selector: { matchLabels: {}, matchExpressions: [{ key: 'team', operator: 'In', values: ['web', 'data'] }] },
    limits: { cpu: 96_000, memory: 384 * 2 ** 30, nodes: 12, 'nvidia.com/gpu': 4 },
  };
  const answers = { capacityquotas: list('CapacityQuota', [writeCapacityQuota(given)]) };

  it('are read with their own option alone, and no ResourceQuota is asked for', async () => {
    const { objects, rejected, asked } = await read(answers, { capacityBuffers: false, provisioningRequests: false });
    expect([objects.capacityQuotas, rejected]).toEqual([[given], []]);
    expect(asked).not.toContain('capacitybuffers');
    expect(asked).not.toContain('resourcequotas');
    const without = await read(answers, { capacityQuotas: false });
    expect([without.objects.capacityQuotas, without.asked.includes('capacityquotas')]).toEqual([[], false]);
  });

  it('are none where the custom resource does not exist', async () => {
    const { objects, rejected } = await read({});
    expect([objects.capacityQuotas, rejected]).toEqual([[], []]);
  });

  it('that cannot be read are reported, and the others are read', async () => {
    const wrong = { metadata: { name: 'wrong' }, spec: { limits: { resources: { cpu: 'many' } } } };
    const capacityquotas = list('CapacityQuota', [wrong, writeCapacityQuota(given)]);
    const { objects, rejected } = await read({ capacityquotas });
    expect(objects.capacityQuotas).toEqual([given]);
    expect(rejected).toMatchObject([{ place: 'CapacityQuota wrong: spec.limits.resources.cpu' }]);
  });
});
