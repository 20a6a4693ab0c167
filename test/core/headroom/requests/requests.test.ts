import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../../../core/evaluate.ts';
import { createQuotaLedger } from '../../../../core/headroom/quota-ledger.ts';
import { createNamespaceHeadroom } from '../../../../core/headroom/virtual-pods.ts';
import type { PodTemplate } from '../../../../core/model/cluster/capacity-buffer.ts';
import type { ProvisioningRequest } from '../../../../core/model/cluster/provisioning-request.ts';
import type { ResourceQuota } from '../../../../core/model/cluster/resource-quota.ts';
import { openRequests } from '../../../../core/headroom/requests/requests.ts';
import { type Amounts, resources } from '../../../builders.ts';
import { group, type ScenarioGiven, times } from '../../../scenario-builders.ts';
import { AT_ONCE, BEFORE, workerNode } from '../../scaledown/cluster.ts';
import { template } from '../given.ts';
import { atomic, condition, pods, request, requested } from './given.ts';

const templateIn = (namespace: string, requests: Amounts = { cpu: 1, memory: '1Gi' }): PodTemplate => ({
  ...template('chunk', requests),
  namespace,
});
const NAMESPACES = ['default', 'evil', 'prod'];

const quota = (hard: Amounts, used: Amounts = {}): ResourceQuota => ({
  namespace: 'evil',
  name: 'compute',
  hard: resources(hard),
  used: resources(used),
  scopes: [],
});

/** A cluster whose group `web` may have 2,000 nodes of 4 CPU. */
const cluster = (
  requests: readonly ProvisioningRequest[],
  { objects, ...given }: ScenarioGiven = {},
  requestsOfPods?: Amounts,
) =>
  requested(requests, {
    groups: [group('web', { max: 2_000 })],
    ...given,
    objects: { podTemplates: NAMESPACES.map((namespace) => templateIn(namespace, requestsOfPods)), ...objects },
  });

const answersOf = (of: ReturnType<typeof cluster>) => {
  const { scaleUp } = evaluateScaleUp(of);
  return scaleUp.provisioningRequests!.map(({ name, outcome, message }) => [name, outcome, message ?? null]);
};

const BOOKED = [condition('Accepted', 3), condition('Provisioned', 2)];

describe('a ProvisioningRequest is held to the ResourceQuotas of its namespace', () => {
  const USED_UP = quota({ cpu: 1, memory: '1Gi', pods: 1 }, { cpu: 1, memory: '1Gi', pods: 1 });

  test('no node is launched for pods that the quota would not admit, and the answer names the quota', () => {
    const one = cluster([atomic('job', { namespace: 'evil', ...pods(90) })], {
      objects: { resourceQuotas: [USED_UP] },
    });
    expect(evaluateScaleUp(one).scaleUp.increases).toEqual([]);
    expect(answersOf(one)).toEqual([
      ['evil/job', 'CapacityIsNotFound', 'ResourceQuota compute of namespace evil leaves 0 of 90 pods'],
    ]);
  });

  test('pods that name no request are not admitted where a quota limits it', () => {
    const limited = { objects: { resourceQuotas: [quota({ cpu: 100, pods: 100 })] } };
    expect(answersOf(cluster([atomic('job', { namespace: 'evil', ...pods(5) })], limited, { memory: '1Gi' }))).toEqual([
      ['evil/job', 'CapacityIsNotFound', 'its containers do not name cpu, which ResourceQuota compute limits'],
    ]);
  });

  test('capacity that is booked already counts before the next request', () => {
    const requests = [
      request('first', { namespace: 'evil', ...pods(6), conditions: BOOKED }),
      request('next', { namespace: 'evil', ...pods(5) }),
    ];
    const of = cluster(requests, { objects: { resourceQuotas: [quota({ pods: 10 })] } });
    expect(answersOf(of)).toEqual([
      ['evil/first', 'Booked', null],
      ['evil/next', 'CapacityIsNotFound', 'ResourceQuota compute of namespace evil leaves 4 of 5 pods'],
    ]);
  });

  test('other namespaces are not limited by it', () => {
    const requests = [
      atomic('job', { namespace: 'evil', ...pods(90) }),
      atomic('train', { namespace: 'prod', ...pods(4) }),
    ];
    expect(answersOf(cluster(requests, { objects: { resourceQuotas: [USED_UP] } }))[1]).toEqual([
      'prod/train',
      'CapacityIsProvisioned',
      null,
    ]);
  });
});

describe('one namespace takes no capacity that was given to another', () => {
  test('an older booking of thousands of pods does not release a booking, nor its node', () => {
    const requests = [
      request('large', { namespace: 'evil', ...pods(5_000), conditions: BOOKED, createdAt: condition('', 60).since }),
      request('train', { namespace: 'prod', ...pods(2), conditions: BOOKED }),
    ];
    const decision = evaluate(
      cluster(requests, {
        groups: [group('web', { nodes: ['n1'] })],
        objects: { podTemplates: [templateIn('evil', { cpu: 100 }), templateIn('prod')] },
        nodes: [workerNode('n1')],
        options: AT_ONCE,
        state: BEFORE,
      }),
    );
    expect(decision.scaleUp.provisioningRequests![1]).toMatchObject({ name: 'prod/train', outcome: 'Booked', fits: 2 });
    expect(decision.scaleDown.removals).toEqual([]);
  });

  test('a request of more pods than a namespace may have is refused, and others are tried', () => {
    const requests = [
      atomic('huge', { namespace: 'evil', ...pods(5_000) }),
      atomic('train', { namespace: 'prod', ...pods(4), conditions: [condition('Provisioned', 30, 'False')] }),
    ];
    expect(answersOf(cluster(requests))).toEqual([
      ['evil/huge', 'CapacityIsNotFound', 'maxHeadroomPerNamespace leaves namespace evil 250 of 5000 pods'],
      ['prod/train', 'CapacityIsProvisioned', null],
    ]);
  });

  test('requests of one namespace that are tried together have no more pods than it may have', () => {
    const requests = [
      atomic('older', { namespace: 'evil', ...pods(200), createdAt: condition('', 60).since }),
      atomic('newer', { namespace: 'evil', ...pods(100) }),
    ];
    expect(answersOf(cluster(requests))).toEqual([
      ['evil/older', 'CapacityIsProvisioned', null],
      ['evil/newer', 'CapacityIsNotFound', 'maxHeadroomPerNamespace leaves namespace evil 50 of 100 pods'],
    ]);
  });

  test('many new requests of one namespace do not delay one of another', () => {
    const many = times(40, (i) => request(`r${i}`, { namespace: 'evil' }));
    const train = request('train', { namespace: 'prod', conditions: [condition('Provisioned', 30, 'False')] });
    const steps = openRequests(cluster([...many, train]), createQuotaLedger([]), createNamespaceHeadroom(0));
    const tried = steps.filter(({ step }) => step.kind === 'try');
    expect(tried).toHaveLength(20);
    expect(tried.map(({ name }) => name)).toContain('prod/train');
  });
});
