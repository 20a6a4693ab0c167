import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import {
  decisionKey,
  FIRST_LOADED,
  intentsKey,
  LAST_LOADED,
  ROW_KINDS,
  rowKindOf,
  slotOf,
  stateKey,
  unreadableKey,
} from '../../../providers/dynamodb/keys.ts';

const cluster = clusterName('prod');

describe('keys', () => {
  // Intents that are pending while a new version is deployed must be found by it.
  it.each([
    ['0-web', 'INTENT#0#6'],
    ['0-api', 'INTENT#0#7'],
    ['41-group-1', 'INTENT#41#5'],
    ['41-namespace/name', 'INTENT#41#7'],
    ['41', 'INTENT#41#5'],
  ])('of intent %s is %s for ever', (id, sk) => {
    expect(intentsKey(cluster, id)).toEqual({ pk: 'CLUSTER#prod', sk });
  });

  it('of a group’s later intents are with the others of their commit', () => {
    expect(intentsKey(cluster, '41.1-group-1').sk).toMatch(/^INTENT#41#[0-7]$/);
    expect(intentsKey(cluster, '41.12-a.b').sk).toMatch(/^INTENT#41#[0-7]$/);
  });

  it.each(ROW_KINDS)('of slots of kind %s are told from all others', (kind) => {
    expect(rowKindOf(slotOf(kind, 'any'))).toBe(kind);
  });

  it('of what an evaluation loads lie between two bounds, all others do not', () => {
    const isLoaded = ({ sk }: { readonly sk: string }): boolean => sk >= FIRST_LOADED && sk <= LAST_LOADED;
    const slots = ROW_KINDS.map((kind) => ({ sk: slotOf(kind, 'any') }));
    const loaded = [stateKey(cluster), intentsKey(cluster, '999-zzz'), intentsKey(cluster, '0-a'), ...slots];
    expect(loaded.filter((key) => !isLoaded(key))).toEqual([]);
    const others = [decisionKey(cluster, 1), unreadableKey(cluster, 'STATE', 1), { sk: 'DRAIN#n1' }];
    expect(others.filter(isLoaded)).toEqual([]);
    expect(others.map(({ sk }) => rowKindOf(sk))).toEqual([null, null, null]);
  });

  it('of decisions sort as their versions do', () => {
    const versions = [1, 9, 10, 99, 100, 123_456_789];
    const keys = versions.map((version) => decisionKey(cluster, version).sk);
    expect(keys.toSorted()).toEqual(keys);
  });
});
