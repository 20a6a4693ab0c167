import { describe, expect, test } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Shortage } from '../../../core/model/state.ts';
import { node } from '../../builders.ts';
import { NOW, zoneLabels } from '../../scenario-builders.ts';
import { inMinutes, launchFailure, NAME, populated, registryOf, request } from './given.ts';

const CAPACITY_TYPE = 'eks.amazonaws.com/capacityType';

type Shape = readonly [type: string, zone: string, capacityType: string | null];

const labelsOf = ([type, zone, capacityType]: Shape) => ({
  ...zoneLabels(zone),
  [INSTANCE_TYPE_LABEL]: type,
  ...(capacityType === null ? {} : { [CAPACITY_TYPE]: capacityType }),
});

/** A group of these shapes with one launch that failed for lack of capacity. */
function group(shapes: readonly Shape[], zone: string | null = null, name: string = NAME): NodeGroup {
  const [first, ...others] = shapes.map((shape) => ({
    node: node('t', { cpu: 4 }, { labels: labelsOf(shape) }),
    pods: [],
  }));
  return {
    ...populated({ target: 1 }, name),
    launchFailures: [launchFailure(name, 0, 'OutOfResources', zone)],
    template: first!,
    alternatives: others,
  };
}

const A: Shape = ['m5.large', 'us-east-1a', 'SPOT'];
const B: Shape = ['m5.large', 'us-east-1b', 'SPOT'];
const C: Shape = ['c5.large', 'us-east-1a', 'SPOT'];
const shortage = ([type, zone]: Shape, until = inMinutes(3)): Shortage => ({ type, zone, capacityType: 'spot', until });
const asked = { scaleUpRequests: [request(1)] };

describe('what a group without a label is bought as', () => {
  const PLAIN: Shape = ['m5.large', 'us-east-1a', null];

  test('is what its provider reports', () => {
    const noted = registryOf([{ ...group([PLAIN]), capacityType: 'spot' }], asked).state.shortages;
    expect(noted).toEqual([shortage(A)]);
    const status = (capacityType: string | null) =>
      registryOf([{ ...group([PLAIN], null, 'other'), launchFailures: [], capacityType }], {
        shortages: noted,
      }).groups.get(groupName('other'))!.shortage;
    expect(status('spot')?.message).toBe('no spot capacity for m5.large in us-east-1a');
    expect(status('on-demand')).toBeNull();
    expect(status(null)).toBeNull();
  });

  test('is not asked where a label says so', () => {
    const labelled = { ...group([A]), capacityType: 'on-demand' };
    expect(registryOf([labelled], asked).state.shortages).toEqual([shortage(A)]);
  });
});

describe('a shortage', () => {
  test.each([
    ['is noted by type, zone and purchase option', group([A]), asked, [shortage(A)]],
    ['is noted for the zone that failed', group([A, B], 'us-east-1b'), asked, [shortage(B)]],
    ['is noted for every type of that zone', group([A, B, C], 'us-east-1a'), asked, [shortage(C), shortage(A)]],
    ['is noted for all where the cloud did not say', group([A, B]), asked, [shortage(A), shortage(B)]],
    ['is not noted without the purchase option', group([['m5.large', 'us-east-1a', null]]), asked, []],
    ['is not noted where nothing was requested', group([A]), {}, []],
    [
      'holds for three minutes',
      populated({ target: 0 }),
      { shortages: [shortage(A, NOW), shortage(B, inMinutes(1))] },
      [shortage(B, inMinutes(1))],
    ],
    ['is prolonged when it lasts', group([A]), { ...asked, shortages: [shortage(A, inMinutes(1))] }, [shortage(A)]],
  ])('%s', (_, of, state, expected) => {
    expect(registryOf([of], state).state.shortages).toEqual(expected);
  });

  test.each([
    [
      'every shape is short',
      [A, B],
      [shortage(A), shortage(B, inMinutes(2))],
      { message: 'no spot capacity for m5.large in us-east-1a, nor for the other shape', until: inMinutes(2) },
    ],
    [
      'all of many shapes are short',
      [A, B, C],
      [shortage(A), shortage(B), shortage(C)],
      {
        message: 'no spot capacity for m5.large in us-east-1a, nor for any of the 2 other shapes',
        until: inMinutes(3),
      },
    ],
    [
      'its only shape is short',
      [A],
      [shortage(A)],
      { message: 'no spot capacity for m5.large in us-east-1a', until: inMinutes(3) },
    ],
    ['one shape may be there', [A, B], [shortage(A)], null],
    ['it is bought otherwise', [['m5.large', 'us-east-1a', 'ON_DEMAND']], [shortage(A)], null],
    ['how it is bought does not show', [['m5.large', 'us-east-1a', null]], [shortage(A)], null],
    ['it is over', [A], [shortage(A, NOW)], null],
  ] as const)('keeps a group from growing or not: %s', (_, shapes, short, expected) => {
    const { shortage: why } = registryOf([group(shapes)], { shortages: short }).groups.get(NAME)!;
    expect(why).toEqual(expected);
  });

  test('is learnt by one group and known to the others, in the same evaluation', () => {
    const { groups } = registryOf([group([A], null, 'a'), group([A], null, 'z')], {
      scaleUpRequests: [request(1, inMinutes(1), 'z')],
    });
    expect([...groups.values()].map(({ shortage: why, backoff }) => [why !== null, backoff !== null])).toEqual([
      [true, false],
      [true, true],
    ]);
  });
});
