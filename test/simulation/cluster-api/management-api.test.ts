import { describe, expect, test } from 'vitest';
import { apiRequest, type ApiRequest } from '../../../providers/kubernetes/client/api-request.ts';
import type { Verb } from '../../../providers/kubernetes/manifests/roles.ts';
import { ServiceError as LostAnswer } from '../../../simulation/api-call.ts';
import { type Json, machineDeployment, managementCluster } from './builders.ts';

const GROUP = 'cluster.x-k8s.io';
const MERGE = 'application/merge-patch+json';
const A = machineDeployment('a', { minSize: 1, desiredSize: 3 });

const on = (
  verb: Verb,
  resource: string,
  name: string | null,
  rest: Partial<ApiRequest> = {},
  version = 'v1beta2',
): ApiRequest =>
  apiRequest(verb, { group: GROUP, version, resource }, { namespace: name === null ? null : 'default', name, ...rest });

const patchOf = (patch: Json, contentType = MERGE) => ({ body: { contentType, text: JSON.stringify(patch) } });
const scaling = (replicas: number, resourceVersion?: string): ApiRequest =>
  on('patch', 'machinedeployments', 'a', {
    subresource: 'scale',
    ...patchOf({ metadata: { resourceVersion }, spec: { replicas } }),
  });

/** The resource version of the MachineDeployment. */
const versionOf = ({ store }: ReturnType<typeof managementCluster>): string =>
  store.list('MachineDeployment')[0]!.metadata.resourceVersion;

describe('lists', () => {
  test('pages follow each other by their tokens, in the order of namespaces and names', async () => {
    const cluster = managementCluster([A]);
    const whole = await cluster.send(on('list', 'machines', null));
    expect(whole.items.map((item: Json) => item.metadata.name)).toEqual(
      whole.items.map((item: Json) => item.metadata.name).toSorted(),
    );
    const first = await cluster.send(on('list', 'machines', null, { query: { limit: '2' } }));
    expect(first.items).toEqual(whole.items.slice(0, 2));
    const token = first.metadata.continue;
    const second = await cluster.send(on('list', 'machines', null, { query: { limit: '2', continue: token } }));
    expect(second.items).toEqual(whole.items.slice(2));
    expect(second.metadata.continue).toBeUndefined();
  });

  test.each([
    ['cluster.x-k8s.io/deployment-name=a', 3],
    ['cluster.x-k8s.io/deployment-name=b', 1],
    ['cluster.x-k8s.io/deployment-name=a,example.com/none=x', 0],
    ['', 4],
  ])('the label selector %s selects %i machines', async (labelSelector, count) => {
    const cluster = managementCluster([A, machineDeployment('b', { desiredSize: 1 })]);
    const { items } = await cluster.send(on('list', 'machines', null, { query: { labelSelector } }));
    expect(items).toHaveLength(count);
  });

  test('a parameter that is not known is refused, and not ignored', async () => {
    const cluster = managementCluster([A]);
    await expect(
      cluster.send(on('list', 'machines', null, { query: { fieldSelector: 'metadata.name=a' } })),
    ).rejects.toThrow('does not know the parameter fieldSelector');
  });

  test('a kind that is not served is not found', async () => {
    const cluster = managementCluster([A]);
    await expect(cluster.send(on('list', 'machinepools', null))).rejects.toMatchObject({ status: 404 });
    await expect(cluster.send(on('list', 'machines', null, {}, 'v1alpha4'))).rejects.toMatchObject({ status: 404 });
  });
});

describe('the subresource scale', () => {
  test('sets the replicas where the resource version is that of now, and says 409 where it is not', async () => {
    const cluster = managementCluster([A]);
    const resourceVersion = versionOf(cluster);
    const set = await cluster.send(scaling(4, resourceVersion));
    expect(set).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 4 } });
    await expect(cluster.send(scaling(5, resourceVersion))).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
    expect(cluster.viewOf(A.name).desired).toBe(4);
    expect(cluster.events).toContainEqual({ kind: 'SizeSet', group: A.name, from: 3, to: 4 });
  });

  test('takes no number below 0', async () => {
    const cluster = managementCluster([A]);
    await expect(cluster.send(scaling(-1))).rejects.toMatchObject({ status: 422 });
  });

  test('another client that comes first is a conflict', async () => {
    let comes = true;
    const cluster = managementCluster([A], { conflict: () => comes });
    await expect(cluster.send(scaling(4, versionOf(cluster)))).rejects.toMatchObject({ status: 409 });
    comes = false;
    await cluster.send(scaling(4));
    expect(cluster.viewOf(A.name).desired).toBe(4);
  });

  test('machines have none', async () => {
    const cluster = managementCluster([A]);
    const name = cluster.store.list('Machine')[0]!.metadata.name;
    const patch = on('patch', 'machines', name, { subresource: 'scale', ...patchOf({}) });
    await expect(cluster.send(patch)).rejects.toMatchObject({ status: 404 });
  });
});

describe('changes of a machine', () => {
  test('a merge patch adds and removes annotations, under the UID and the resource version that it names', async () => {
    const cluster = managementCluster([A]);
    const { name, uid, resourceVersion } = cluster.store.list('Machine')[0]!.metadata;
    const mark = (metadata: Json) => on('patch', 'machines', name, patchOf({ metadata }));
    const annotations = { 'cluster.x-k8s.io/delete-machine': 'now' };
    const marked = await cluster.send(mark({ uid, resourceVersion, annotations }));
    expect(marked.metadata.annotations).toEqual(annotations);
    expect(cluster.marked()).toEqual([`default/${name}`]);
    await expect(cluster.send(mark({ resourceVersion, annotations: {} }))).rejects.toMatchObject({ status: 409 });
    await expect(cluster.send(mark({ uid: 'another', annotations: {} }))).rejects.toMatchObject({ status: 409 });
    await cluster.send(mark({ annotations: { 'cluster.x-k8s.io/delete-machine': null } }));
    expect(cluster.marked()).toEqual([]);
  });

  test('a patch of another type is refused', async () => {
    const cluster = managementCluster([A]);
    const { name } = cluster.store.list('Machine')[0]!.metadata;
    await expect(
      cluster.send(on('patch', 'machines', name, patchOf({}, 'application/apply-patch+yaml'))),
    ).rejects.toMatchObject({ status: 415 });
  });

  test('a deletion under the UID of another machine is refused; one of the machine itself takes its time', async () => {
    const cluster = managementCluster([A]);
    const { name, uid } = cluster.store.list('Machine')[0]!.metadata;
    const remove = (of: string) =>
      on('delete', 'machines', name, patchOf({ preconditions: { uid: of } }, 'application/json'));
    await expect(cluster.send(remove('another'))).rejects.toMatchObject({ status: 409 });
    await cluster.send(remove(uid));
    expect((await cluster.send(on('get', 'machines', name))).metadata.deletionTimestamp).toBe('2026-01-01T12:00:00Z');
    await cluster.pass(30);
    await expect(cluster.send(on('get', 'machines', name))).rejects.toMatchObject({ status: 404 });
  });
});

describe('calls', () => {
  test('a change whose answer was lost is made again, and meets what it has changed itself', async () => {
    let lost = false;
    const cluster = managementCluster([A], {
      answer: ({ operation }) => {
        const isFirst = operation === 'PatchMachinedeploymentsScale' && !lost;
        lost ||= isFirst;
        return isFirst ? new LostAnswer('Timeout', 'TimeoutError', 'lost') : null;
      },
    });
    await expect(cluster.send(scaling(4, versionOf(cluster)))).rejects.toMatchObject({ status: 409 });
    expect(cluster.viewOf(A.name).desired).toBe(4);
  });

  test.each([
    ['Throttled', { status: 429, retryable: true }],
    ['Authorization', { status: 403, retryable: false }],
    ['Timeout', { kind: 'timeout', retryable: true }],
    ['Other', { status: 500, retryable: true }],
  ] as const)('a fault of the class %s is an error of the transport', async (failure, error) => {
    const cluster = managementCluster([A], { call: () => new LostAnswer(failure, 'Trouble', 'no') });
    await expect(cluster.send(on('list', 'machines', null))).rejects.toMatchObject(error);
  });

  test('an aborted call rejects with the reason of its signal', async () => {
    const { transport } = managementCluster([A]);
    const reason = new Error('over');
    const call = transport.send(on('list', 'machines', null), () => null, AbortSignal.abort(reason));
    await expect(call).rejects.toBe(reason);
  });
});
