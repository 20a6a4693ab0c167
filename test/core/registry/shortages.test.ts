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
    { name: 'is noted by type, zone and purchase option', of: group([A]), state: asked, expected: [shortage(A)] },
    {
      name: 'is noted for the zone that failed',
      of: group([A, B], 'us-east-1b'),
      state: asked,
      expected: [shortage(B)],
    },
    {
      name: 'is noted for every type of that zone',
      of: group([A, B, C], 'us-east-1a'),
      state: asked,
      expected: [shortage(C), shortage(A)],
    },
    {
      name: 'is noted for all where the cloud did not say',
      of: group([A, B]),
      state: asked,
      expected: [shortage(A), shortage(B)],
    },
    {
      name: 'is not noted without the purchase option',
      of: group([['m5.large', 'us-east-1a', null]]),
      state: asked,
      expected: [],
    },
    { name: 'is not noted where nothing was requested', of: group([A]), state: {}, expected: [] },
    {
      name: 'holds for three minutes',
      of: populated({ target: 0 }),
      state: { shortages: [shortage(A, NOW), shortage(B, inMinutes(1))] },
      expected: [shortage(B, inMinutes(1))],
    },
    {
      name: 'is prolonged when it lasts',
      of: group([A]),
      state: { ...asked, shortages: [shortage(A, inMinutes(1))] },
      expected: [shortage(A)],
    },
  ])('$name', ({ of, state, expected }) => {
    expect(registryOf([of], state).state.shortages).toEqual(expected);
  });

  test.each([
    {
      name: 'every shape is short',
      shapes: [A, B],
      short: [shortage(A), shortage(B, inMinutes(2))],
      expected: {
        message: 'no spot capacity for m5.large in us-east-1a, nor for the other shape',
        until: inMinutes(2),
      },
    },
    {
      name: 'all of many shapes are short',
      shapes: [A, B, C],
      short: [shortage(A), shortage(B), shortage(C)],
      expected: {
        message: 'no spot capacity for m5.large in us-east-1a, nor for any of the 2 other shapes',
        until: inMinutes(3),
      },
    },
    {
      name: 'its only shape is short',
      shapes: [A],
      short: [shortage(A)],
      expected: { message: 'no spot capacity for m5.large in us-east-1a', until: inMinutes(3) },
    },
    { name: 'one shape may be there', shapes: [A, B], short: [shortage(A)], expected: null },
    {
      name: 'it is bought otherwise',
      shapes: [['m5.large', 'us-east-1a', 'ON_DEMAND']],
      short: [shortage(A)],
      expected: null,
    },
    {
      name: 'how it is bought does not show',
      shapes: [['m5.large', 'us-east-1a', null]],
      short: [shortage(A)],
      expected: null,
    },
    { name: 'it is over', shapes: [A], short: [shortage(A, NOW)], expected: null },
  ] as const)('keeps a group from growing or not: $name', ({ shapes, short, expected }) => {
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
