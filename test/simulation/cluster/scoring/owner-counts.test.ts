import { describe, expect, it, test } from 'vitest';
import type { NodeInfo } from '../../../../core/model/snapshot/snapshot.ts';
import { OwnerCounts, ownerOf } from '../../../../simulation/cluster/scoring/owner-counts.ts';
import { controllerRef, pod, type PodOptions } from '../../../builders.ts';

test.each<readonly [PodOptions, string | null]>([
  [{ owner: 'ReplicaSet/web' }, 'default/ReplicaSet/uid-ReplicaSet/web'],
  [{ owner: 'StatefulSet/web' }, 'default/StatefulSet/uid-StatefulSet/web'],
  [{ owner: 'ReplicationController/web' }, 'default/ReplicationController/uid-ReplicationController/web'],
  [{ owner: 'ReplicaSet/web', namespace: 'other' }, 'other/ReplicaSet/uid-ReplicaSet/web'],
  [{ owner: 'DaemonSet/web' }, null],
  [{ owner: 'Job/web' }, null],
  [{ owner: 'Deployment/web' }, null],
  [{ owner: 'toString/web' }, null],
  [{ controller: null }, null],
  [{ controller: { ...controllerRef('StatefulSet/web'), apiVersion: 'apps.kruise.io/v1beta1' } }, null],
])('a pod of %j is spread with those of %j', (given, owner) => {
  expect(ownerOf(pod('p', given))).toBe(owner);
});

describe('counts by node', () => {
  const at = (index: number) => ({ index }) as NodeInfo;

  it('add up what comes and take off what leaves', () => {
    const counts = new OwnerCounts();
    counts.add('a', at(1), 2);
    counts.add('a', at(1), 1);
    counts.add('a', at(2), 1);
    counts.add('b', at(1), 1);
    counts.add('a', at(2), -1);
    expect([...counts.of('a')]).toEqual([[1, 3]]);
    expect([...counts.of('b')]).toEqual([[1, 1]]);
  });

  it('are none of what is not spread, or not there', () => {
    const counts = new OwnerCounts();
    counts.add(null, at(1), 1);
    expect([...counts.of('a')]).toEqual([]);
  });
});
