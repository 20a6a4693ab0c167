import { describe, expect, it } from 'vitest';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { nextEndOfBelief } from '../../../core/wakeups/ends-of-beliefs.ts';
import { NOW } from '../../scenario-builders.ts';

const a = groupName('a');
const at = (n: number) => addTime(NOW, minutes(n));
const BELIEFS: Readonly<Record<string, (n: number) => Partial<State>>> = {
  'a backoff': (n) => ({
    backoff: { [a]: { until: at(n), duration: minutes(5), lastFailure: NOW, class: 'OutOfResources' } },
  }),
  'missing capacity': (n) => ({
    shortages: [{ type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', until: at(n) }],
  }),
  'a repair that could not be made': (n) => ({ repairBackoff: { [a]: at(n) } }),
  'nodes that are awaited': (n) => ({
    scaleUpRequests: [{ group: a, increase: 1, time: NOW, expectedAddTime: at(n) }],
  }),
};

describe.each(Object.entries(BELIEFS))('the end of %s', (_name, belief) => {
  it('is the next one, unless another one comes before', () => {
    expect(nextEndOfBelief({ ...EMPTY_STATE, ...belief(3) }, NOW)).toBe(at(3));
    const others = Object.values(BELIEFS).filter((one) => one !== belief);
    for (const other of others) {
      expect(nextEndOfBelief({ ...EMPTY_STATE, ...other(2), ...belief(3) }, NOW)).toBe(at(2));
    }
  });

  it('is none once it is over', () => {
    expect(nextEndOfBelief({ ...EMPTY_STATE, ...belief(0) }, NOW)).toBeNull();
  });
});
