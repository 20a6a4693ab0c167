import { describe, expect, it } from 'vitest';
import { instanceId } from '../../../../core/model/values/names.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { Intent, SetSizeIntent } from '../../../../core/model/intent.ts';
import { EMPTY_STATE, type ScaleUpRequest, type State } from '../../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../../core/model/values/time.ts';
import { settle } from '../../../../core/actuation/changes/intents.ts';
import { NOW, scaleUpRequest, sizeIntent } from '../../../scenario-builders.ts';

const request = (group: string, increase: number): ScaleUpRequest => scaleUpRequest(group, increase);

const intent = (given: Partial<SetSizeIntent>): Intent => sizeIntent('a', 2, 5, given);

const waitingFor = (...scaleUpRequests: ScaleUpRequest[]): State => ({ ...EMPTY_STATE, scaleUpRequests });

const settled = (state: State, ...intents: Intent[]) => settle(state, intents, defaultOptions(), NOW);

describe('settling', () => {
  it('changes nothing for pending intents, and does not report them', () => {
    const state = waitingFor(request('a', 3));
    expect(settled(state, intent({}))).toEqual({ state, ids: [] });
  });

  it('reports what is done, and goes on waiting for the nodes', () => {
    const state = waitingFor(request('a', 3));
    expect(settled(state, intent({ status: 'done' }))).toEqual({ state, ids: ['1-a'] });
  });

  it('takes no nodes back that are asked for by others: the request of a refused increase may be over', () => {
    const refused = intent({ status: 'refused' });
    const later = (given: Partial<SetSizeIntent>) => intent({ id: '2-a', from: 5, to: 7, ...given });
    const justDone = later({ status: 'done', claimedUntil: epochMs(NOW + 1) });
    expect(settled(waitingFor(request('a', 2)), refused, later({})).state).toEqual(waitingFor(request('a', 2)));
    expect(settled(waitingFor(request('a', 2)), refused, justDone).state).toEqual(waitingFor(request('a', 2)));
    expect(settled(waitingFor(request('a', 5)), refused, later({})).state).toEqual(waitingFor(request('a', 2)));
    expect(settled(waitingFor(request('a', 2)), refused, later({ status: 'done' })).state).toEqual(waitingFor());
  });

  it('keeps what has only just been done: the cloud may not show it yet', () => {
    const state = waitingFor(request('a', 3));
    const done = (claimedUntil: number) => intent({ status: 'done', claimedUntil: epochMs(claimedUntil) });
    expect(settled(state, done(NOW + 1)).ids).toEqual([]);
    expect(settled(state, done(NOW)).ids).toEqual(['1-a']);
    expect(settled(state, intent({ status: 'refused', claimedUntil: epochMs(NOW + 1) })).ids).toEqual(['1-a']);
  });

  it.each([
    { name: 'all of a request', before: [request('a', 3)], after: [] },
    { name: 'its part of a request', before: [request('a', 4)], after: [request('a', 1)] },
    { name: 'no other group’s request', before: [request('b', 3)], after: [request('b', 3)] },
    {
      name: 'the latest requests first',
      before: [request('a', 2), request('b', 9), request('a', 2)],
      after: [request('a', 1), request('b', 9)],
    },
    { name: 'no more than is there', before: [request('a', 1)], after: [] },
  ])('takes back $name when an increase was refused', ({ before, after }) => {
    const { state, ids } = settled(waitingFor(...before), intent({ status: 'refused' }));
    expect(state).toEqual(waitingFor(...after));
    expect(ids).toEqual(['1-a']);
  });

  it('backs off from a group that failed, with the class of the failure', () => {
    const failed = intent({ status: 'failed', outcome: { message: 'no more', class: 'Quota' } });
    expect(settled(waitingFor(request('a', 3)), failed).state).toEqual({
      ...EMPTY_STATE,
      backoff: { a: { until: addTime(NOW, minutes(5)), duration: minutes(5), lastFailure: NOW, class: 'Quota' } },
    });
  });

  it.each([
    { name: 'a smaller size that was refused', given: intent({ from: 5, to: 3, status: 'refused' }) },
    { name: 'a smaller size that failed', given: intent({ from: 5, to: 3, status: 'failed' }) },
    {
      name: 'instances that could not be ended',
      given: {
        ...intent({ status: 'failed' }),
        kind: 'DeleteInstances' as const,
        instances: [instanceId('i-1')],
        force: false,
      },
    },
  ])('leaves a group’s repairs alone for a minute, and nothing else: $name', ({ given }) => {
    const before = waitingFor(request('a', 3));
    expect(settled(before, given)).toEqual({
      state: { ...before, repairBackoff: { a: addTime(NOW, minutes(1)) } },
      ids: ['1-a'],
    });
  });

  it('does not wait for repairs that were made', () => {
    expect(settled(EMPTY_STATE, intent({ from: 5, to: 3, status: 'done' })).state).toEqual(EMPTY_STATE);
  });
});
