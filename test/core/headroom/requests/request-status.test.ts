import { describe, expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../../core/evaluate.ts';
import type { ProvisioningRequest } from '../../../../core/model/cluster/provisioning-request.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { FIRST_RETRY, LAST_RETRY, MOST_REQUESTS_TRIED } from '../../../../core/headroom/requests/requests.ts';
import { requestStatuses } from '../../../../core/headroom/requests/request-status.ts';
import { MOST_STATUSES } from '../../../../core/headroom/buffer-status.ts';
import { node } from '../../../builders.ts';
import { group, NOW, type ScenarioGiven, times } from '../../../scenario-builders.ts';
import { atomic, condition, pods, request, requested } from './given.ts';

const ONE_NODE: ScenarioGiven = { groups: [group('a', { nodes: ['n1'], max: 3 })], nodes: [node('n1', { cpu: 4 })] };
const statusesOf = (...requests: readonly ProvisioningRequest[]) => {
  const given = requested(requests, ONE_NODE);
  return requestStatuses(given, evaluateScaleUp(given));
};
/** Conditions that are written about one request, and the last one's message. */
function written(given: ProvisioningRequest) {
  const conditions = statusesOf(given)[0]?.conditions ?? [];
  return {
    says: conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
    message: conditions.at(-1)?.message,
  };
}
const ACCEPTED = 'Accepted=True Accepted';

describe('the status of a request', () => {
  test.each<readonly [string, ProvisioningRequest, readonly string[], string]>([
    [
      'whose room is found',
      request('r', pods(4)),
      [ACCEPTED, 'Provisioned=True CapacityIsFound'],
      'Capacity is found in the cluster',
    ],
    [
      'that nodes are added for',
      atomic('r', pods(9)),
      [ACCEPTED, 'Provisioned=True CapacityIsProvisioned'],
      'Capacity is found in the cluster',
    ],
    [
      'whose room is not found',
      request('r', pods(5)),
      [ACCEPTED, 'Provisioned=False CapacityIsNotFound'],
      'Not all pods of the request have room, so that none is given. 1 of 5 pods have no room on existing nodes',
    ],
    [
      'whose room is looked for once',
      request('r', { ...pods(5), parameters: { noRetry: 'true' } }),
      [ACCEPTED, 'Failed=True CapacityIsNotFound'],
      'Not all pods of the request have room, so that none is given. 1 of 5 pods have no room on existing nodes',
    ],
    [
      'without its template',
      request('r', pods(1, 'missing')),
      ['Failed=True FailedToCreatePods'],
      'It is not known what the pods of the request are like. there is no PodTemplate default/missing',
    ],
    [
      'whose template has gone meanwhile',
      request('r', { ...pods(1, 'missing'), conditions: [condition('Provisioned', 1)] }),
      ['Provisioned=True Whatever', 'Failed=True FailedToBookCapacity'],
      'It is not known any more what the pods of the request are like, so that no room is held. there is no PodTemplate default/missing',
    ],
    [
      'whose time is over',
      request('r', { conditions: [condition('Accepted', 12), condition('Provisioned', 11)] }),
      ['Accepted=True Whatever', 'Provisioned=True Whatever', 'BookingExpired=True CapacityReservationTimeExpired'],
      'Capacity reservation time is expired',
    ],
    [
      'that has found nothing for a week',
      request('r', { createdAt: epochMs(NOW - 8 * 24 * 3_600_000) }),
      ['Failed=True Expired'],
      'ProvisioningRequest is expired',
    ],
    [
      'that is valid no longer',
      atomic('r', { parameters: { ValidUntilSeconds: '59' } }),
      ['Failed=True Expired'],
      'ProvisioningRequest is expired',
    ],
  ])('%s', (_, given, says, message) => {
    expect(written(given)).toEqual({ says, message });
  });

  test('is left as it is while its room is held', () => {
    expect(statusesOf(request('r', { conditions: [condition('Provisioned', 1)] }))).toEqual([]);
  });

  test('keeps the time of what it said before', () => {
    const [status] = statusesOf(
      request('r', { conditions: [condition('Accepted', 5), condition('Provisioned', 4, 'False')] }),
    );
    expect(status).toMatchObject({
      namespace: 'default',
      name: 'r',
      conditions: [
        { type: 'Accepted', since: NOW - 5 * 60_000, observedGeneration: 1 },
        { type: 'Provisioned', status: 'True', since: NOW, observedGeneration: 1 },
      ],
    });
  });

  test('of a request that fails says nothing about the others', () => {
    const statuses = statusesOf(request('bad', pods(1, 'missing')), request('good'));
    expect(statuses.map(({ name, conditions }) => [name, conditions.at(-1)!.type])).toEqual([
      ['bad', 'Failed'],
      ['good', 'Provisioned'],
    ]);
  });

  test('is one of a bounded number', () => {
    expect(statusesOf(...times(MOST_STATUSES + 5, (i) => request(`r${i}`, pods(1, 'missing'))))).toHaveLength(
      MOST_STATUSES,
    );
  });

  test('is written in turns with those of other namespaces, however many older ones there are', () => {
    const older = times(MOST_STATUSES + 5, (i) => ({ ...request(`r${i}`, pods(1, 'missing')), namespace: 'aaa' }));
    const [newest] = statusesOf(...older, request('newest', pods(4))).filter(({ name }) => name === 'newest');
    expect(newest?.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Accepted=True',
      'Provisioned=True',
    ]);
  });
});

describe('room that was not found', () => {
  const minutesOf = (time: number): number => time / 60_000;
  test.each([
    { accepted: 1, tried: 1, after: minutesOf(FIRST_RETRY) },
    { accepted: 9, tried: 4, after: 5 },
    { accepted: 60, tried: 4, after: minutesOf(LAST_RETRY) },
  ])('$tried minutes ago is looked for again $after minutes after that', ({ accepted, tried, after }) => {
    const outcomeAt = (minutesAgo: number) => {
      const shift = minutesAgo - tried;
      const conditions = [condition('Accepted', accepted + shift), condition('Provisioned', minutesAgo, 'False')];
      return evaluateScaleUp(requested([request('r', { ...pods(5), conditions })], ONE_NODE)).scaleUp
        .provisioningRequests![0]!.outcome;
    };
    expect([outcomeAt(after - 0.1), outcomeAt(after)]).toEqual(['Waiting', 'CapacityIsNotFound']);
  });

  test('comes after requests that were not looked at yet, of which one evaluation tries a bounded number', () => {
    const tried = request('old', {
      ...pods(5),
      conditions: [condition('Accepted', 40), condition('Provisioned', 20, 'False')],
    });
    const fresh = times(MOST_REQUESTS_TRIED, (i) => request(`new${i}`, pods(5)));
    const { scaleUp } = evaluateScaleUp(requested([tried, ...fresh], ONE_NODE));
    const waiting = scaleUp.provisioningRequests!.filter(({ outcome }) => outcome === 'Waiting');
    expect(waiting.map(({ name }) => name)).toEqual(['default/old']);
  });
});
