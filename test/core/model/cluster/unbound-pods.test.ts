import { expect, it } from 'vitest';
import { unboundPods } from '../../../../core/model/cluster/unbound-pods.ts';
import { pod } from '../../../builders.ts';

it('are those without a node, in the order of the list, and are looked for once', () => {
  const pods = [pod('b'), pod('on', { node: 'n1' }), pod('a')];
  expect(unboundPods(pods).map(({ name }) => name)).toEqual(['b', 'a']);
  expect(unboundPods(pods)).toBe(unboundPods(pods));
});
