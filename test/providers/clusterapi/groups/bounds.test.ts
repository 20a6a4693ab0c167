import { describe, expect, it } from 'vitest';
import { keysOf } from '../../../../providers/clusterapi/api/resources.ts';
import { boundsOf } from '../../../../providers/clusterapi/groups/bounds.ts';

const KEYS = keysOf('cluster.x-k8s.io');
const MIN = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size';
const MAX = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';

type Text = string | null;

const annotations = (min: Text, max: Text): Record<string, string> => ({
  ...(min !== null && { [MIN]: min }),
  ...(max !== null && { [MAX]: max }),
});

describe('bounds', () => {
  it.each<[Text, Text, { min: number; max: number } | null]>([
    ['1', '10', { min: 1, max: 10 }],
    ['0', '10', { min: 0, max: 10 }],
    [null, '10', { min: 0, max: 10 }],
    ['3', '3', { min: 3, max: 3 }],
    ['+1', '010', { min: 1, max: 10 }],
    ['-0', '5', { min: 0, max: 5 }],
    ['0', '2147483647', { min: 0, max: 2_147_483_647 }],
    ['0', '0', null],
    [null, '0', null],
    ['0', null, null],
    [null, null, null],
  ])('of min %j and max %j are %j', (min, max, expected) => {
    expect(boundsOf(annotations(min, max), KEYS)).toEqual({ ok: true, value: expected });
  });

  const INTEGER = 'an integer from 0 to 2147483647';

  it.each<[Text, Text, string, string]>([
    ['one', '10', MIN, `${INTEGER}, found "one"`],
    ['', '10', MIN, `${INTEGER}, found ""`],
    ['1.5', '10', MIN, `${INTEGER}, found "1.5"`],
    [' 1', '10', MIN, `${INTEGER}, found " 1"`],
    ['1e1', '10', MIN, `${INTEGER}, found "1e1"`],
    ['0x1', '10', MIN, `${INTEGER}, found "0x1"`],
    ['-1', '10', MIN, `${INTEGER}, found "-1"`],
    ['0', '-10', MAX, `${INTEGER}, found "-10"`],
    ['0', 'many', MAX, `${INTEGER}, found "many"`],
    ['0', '2147483648', MAX, `${INTEGER}, found "2147483648"`],
    ['0', '99999999999', MAX, `${INTEGER}, found "99999999999"`],
    ['5', '3', MAX, 'at least the minimum of 5, found 3'],
    ['5', '0', MAX, 'at least the minimum of 5, found 0'],
    ['5', null, MAX, 'at least the minimum of 5, found no annotation'],
  ])('of min %j and max %j cannot hold', (min, max, key, problem) => {
    expect(boundsOf(annotations(min, max), KEYS)).toEqual({
      ok: false,
      error: `annotation ${key}: expected ${problem}; correct it`,
    });
  });

  it('are those of the configured API group alone', () => {
    expect(boundsOf(annotations('1', '10'), keysOf('machine.openshift.io'))).toEqual({ ok: true, value: null });
  });
});
