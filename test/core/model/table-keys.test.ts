import { expect, it } from 'vitest';
import { clusterOfPartition, INTENT_PREFIX, partitionOf } from '../../../core/model/table-keys.ts';
import { clusterName } from '../../../core/model/values/names.ts';

it('keys are those of the stored items, policies and stream filters: they never change', () => {
  expect(partitionOf(clusterName('web'))).toBe('CLUSTER#web');
  expect(INTENT_PREFIX).toBe('INTENT#');
});

it('the cluster of a partition is the one whose partition it is', () => {
  expect(clusterOfPartition(partitionOf(clusterName('a#b')))).toBe('a#b');
  expect(clusterOfPartition('TEST#web')).toBeNull();
});
