import { describe, expect, it } from 'vitest';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { Intent, SetSizeIntent } from '../../../../core/model/intent.ts';
import { EMPTY_STATE, type State } from '../../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../../core/model/values/time.ts';
import { settle } from '../../../../core/actuation/changes/intents.ts';
import { withGroupProvisionTime, knownRequests } from '../../../../core/actuation/changes/lost-requests.ts';
import { backoffSince, group, NOW, scaleUpRequest, scenario, sizeIntent } from '../../../scenario-builders.ts';

const intent = (given: Partial<SetSizeIntent>): Intent => sizeIntent('a', 2, 5, given);

const later = epochMs(NOW + minutes(2));
const request = (group: string, increase: number, time = NOW) => scaleUpRequest(group, increase, time);

/** @param time in minutes, of the option of group `a`; without it, the cluster's. */
function requestsOf(intents: readonly Intent[], stored: State = EMPTY_STATE, time: number | null = null) {
  const own = time === null ? {} : { options: { maxNodeProvisionTime: minutes(time) } };
  const observed = scenario({
    groups: [group('a', own), group('b')],
    state: { ...stored, scaleUpRequests: knownRequests(stored, intents, defaultOptions()) },
  });
  return withGroupProvisionTime({ ...observed, now: later }, stored).state.scaleUpRequests;
}

describe('the scale-up requests of a state that was set aside', () => {
  it.each<{ readonly name: string; readonly intents: readonly Intent[]; readonly found: readonly object[] }>([
    { name: 'a pending increase', intents: [intent({})], found: [request('a', 3)] },
    { name: 'an increase that is done', intents: [intent({ status: 'done' })], found: [request('a', 3)] },
    {
      name: 'several of a group, with the time of the latest',
      intents: [intent({}), intent({ id: '2-a', from: 5, to: 6, createdAt: later })],
      found: [request('a', 4, later)],
    },
    {
      name: 'an increase, without what a repair has taken back',
      intents: [intent({}), intent({ id: '2-a', from: 5, to: 4 })],
      found: [request('a', 2)],
    },
    {
      name: 'those of several groups, in the order of their names',
      intents: [intent({ id: '1-b', group: groupName('b') }), intent({})],
      found: [request('a', 3), request('b', 3)],
    },
    { name: 'none of a smaller size', intents: [intent({ from: 5, to: 3 })], found: [] },
    { name: 'none that was refused', intents: [intent({ status: 'refused' })], found: [] },
    { name: 'none that has failed', intents: [intent({ status: 'failed' })], found: [] },
    { name: 'none whose time is over', intents: [intent({ createdAt: epochMs(NOW - minutes(13)) })], found: [] },
    {
      name: 'none for instances that are to be ended',
      intents: [{ ...intent({}), kind: 'DeleteInstances', instances: [instanceId('i-1')], force: false }],
      found: [],
    },
  ])('are found in the stored intents: $name', ({ intents, found }) => {
    expect(requestsOf(intents)).toEqual(found);
  });

  it('have the time of their group to become nodes, and not the cluster’s', () => {
    const old = intent({ createdAt: epochMs(NOW - minutes(13)) });
    const restored = { ...request('a', 3, old.createdAt), expectedAddTime: addTime(old.createdAt, minutes(40)) };
    expect(requestsOf([old], EMPTY_STATE, 40)).toEqual([restored]);
    expect(requestsOf([intent({})], EMPTY_STATE, 1)).toEqual([]);
  });

  it('are none of a group that is not there any more', () => {
    expect(requestsOf([intent({ group: groupName('gone') })])).toEqual([]);
  });

  it('are left as they are where the state has them, though their time is over', () => {
    const scaleUpRequests = [request('a', 7, epochMs(NOW - minutes(20)))];
    expect(requestsOf([], { ...EMPTY_STATE, scaleUpRequests })).toEqual(scaleUpRequests);
  });

  it('are not found for a group that has failed since', () => {
    const failure = backoffSince(later);
    expect(requestsOf([intent({})], { ...EMPTY_STATE, backoff: { [groupName('a')]: failure } })).toEqual([]);
  });

  it('are those of the state where scale-up has written it: a request may be over before its intent has ended', () => {
    const state = { ...EMPTY_STATE, lastScaleUpEvaluation: NOW };
    expect(requestsOf([intent({})], state)).toEqual([]);
    const scaleUpRequests = [request('b', 1)];
    expect(requestsOf([intent({})], { ...state, scaleUpRequests })).toEqual(scaleUpRequests);
  });

  it('keep the request that the state has for a group', () => {
    const scaleUpRequests = [request('a', 7)];
    expect(requestsOf([intent({})], { ...EMPTY_STATE, scaleUpRequests })).toEqual(scaleUpRequests);
  });

  it('are in the state that the next evaluation begins with', () => {
    expect(settle(EMPTY_STATE, [intent({})], defaultOptions(), later).state.scaleUpRequests).toEqual([request('a', 3)]);
  });
});
