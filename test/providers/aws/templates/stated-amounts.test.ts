import { describe, expect, test } from 'vitest';
import { NO_SETTINGS } from '../../../../providers/aws/launches/kubelet-settings.ts';
import { believed } from '../../../../providers/aws/templates/stated-amounts.ts';
import { node, resources } from '../../../builders.ts';
import { eksNode, instanceType, podsOf } from '../builders.ts';

/** 2 cores, 8192 MiB. Its formulas leave 1930m and 6892 MiB for pods. */
const TYPE = instanceType('m5.large', 2);

const stating = (allocatable: object, capacity: object = {}) =>
  eksNode(
    'n1',
    { cpu: 2, memory: '7934340Ki', pods: podsOf(2), ...capacity },
    { allocatable: { cpu: '1930m', memory: '7244164Ki', pods: podsOf(2), ...allocatable } },
  );

describe('the amounts of a node that no other confirms', () => {
  test('are believed as an image leaves them, and the node is the same one', () => {
    const honest = stating({});
    expect(believed({ node: honest, confirmed: false }, TYPE)).toEqual({ node: honest, refused: [] });
  });

  test.each([
    ['a byte of memory', stating({ memory: 1 }), ['memory']],
    ['no memory', stating({ memory: 0 }), ['memory']],
    ['more memory than the type has', stating({ memory: '64Ti' }, { memory: '64Ti' }), ['memory']],
    ['more memory for pods alone', stating({ memory: '9Gi' }), ['memory']],
    ['4,000 cores', stating({ cpu: 4_000 }, { cpu: 4_000 }), ['cpu']],
    ['a core less', stating({ cpu: '930m' }), ['cpu']],
    ['neither', stating({ cpu: 0, memory: 0 }), ['cpu', 'memory']],
  ])('are those of the type where it states %s', (_, lying, refused) => {
    const found = believed({ node: lying, confirmed: false }, TYPE);
    expect(found.refused).toEqual(refused);
    const { allocatable, capacity } = found.node;
    expect(allocatable['cpu']).toBe(1_930);
    expect(allocatable['memory']! / 2 ** 20).toBeCloseTo(refused.includes('memory') ? 6_892 : 7_244_164 / 1_024, -1);
    expect(capacity['cpu']).toBe(2_000);
    expect(capacity['memory']).toBeLessThanOrEqual(8_192 * 2 ** 20);
    expect(allocatable['pods']).toBe(podsOf(2));
  });

  test('are believed as far as the settings of the launch explain them', () => {
    const reserving = { ...NO_SETTINGS, kubeReserved: resources({ memory: '3Gi' }) };
    const found = believed({ node: stating({ memory: '4500Mi' }), confirmed: false }, TYPE, reserving);
    expect(found.refused).toEqual([]);
  });
});

describe('the amounts of a node that another confirms', () => {
  test('are believed where they are small: the group reserves that much', () => {
    expect(believed({ node: stating({ memory: '2Gi' }), confirmed: true }, TYPE).refused).toEqual([]);
  });

  test('are not believed where they are more than the type has', () => {
    expect(believed({ node: stating({}, { memory: '9Gi' }), confirmed: true }, TYPE).refused).toEqual(['memory']);
  });
});

test('a type of which EC2 reports no amounts refuses nothing', () => {
  const unknown = instanceType('x', 0, { memoryMib: 0 });
  expect(believed({ node: node('n', { cpu: 4, memory: '9Gi' }), confirmed: false }, unknown).refused).toEqual([]);
});
