import { describe, expect, test } from 'vitest';
import { withRequest, newEviction } from '../../../core/drain/evictions.ts';
import { asksForVolumes, isBack } from '../../../core/drain/observation.ts';
import type { DrainPhase, Eviction } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { claimVolumes, clusterObjects, node, pod, type PodOptions } from '../../builders.ts';
import { aDrain, after, NODE, webPod } from './one-node-world.ts';

/** An eviction of another pod of the same ReplicaSet, first asked for after 10.5 s, and agreed to after 12 s. */
const before = (extra: Partial<Eviction> = {}, of: PodOptions = {}): Eviction => ({
  ...withRequest(
    newEviction(webPod('before', of), { now: after(0), options: defaultOptions() } as Parameters<
      typeof newEviction
    >[1]),
    after(0),
  ),
  firstTriedAt: after(10.5),
  evictedAt: after(12),
  ...extra,
});
/** An eviction of the pod itself, not agreed to. */
const own = (extra: Partial<Eviction>): Eviction => before({ uid: webPod('new').uid, evictedAt: null, ...extra });

test.each<readonly [what: string, given: PodOptions, evictions: readonly Eviction[], back: boolean]>([
  ['created later', { createdAt: after(20) }, [before()], true],
  ['created in the second in which the other was first asked', { createdAt: after(10) }, [before()], true],
  ['created before the other was asked', { createdAt: after(9) }, [before()], false],
  ['created at an unknown time', { createdAt: null }, [before()], false],
  ['of another controller', { createdAt: after(20), owner: 'ReplicaSet/other' }, [before()], false],
  ['of another kind of controller', { createdAt: after(20) }, [before({}, { owner: 'StatefulSet/web' })], false],
  ['of no controller', { createdAt: after(20), controller: null }, [before({}, { controller: null })], false],
  ['of another namespace', { createdAt: after(20), namespace: 'evil' }, [before()], false],
  ['while the other may stay', { createdAt: after(20) }, [before({ evictedAt: null })], false],
  ['when nothing was evicted', { createdAt: after(20) }, [], false],
  ['asked to go later than the other', { createdAt: after(20) }, [before(), own({ firstTriedAt: after(30) })], true],
  ['asked together with the other', { createdAt: after(20) }, [before(), own({ firstTriedAt: after(10.5) })], false],
  ['that goes', { createdAt: after(20) }, [before(), own({ firstTriedAt: after(30), evictedAt: after(31) })], false],
  [
    'in place of the second of two',
    { createdAt: after(20) },
    [before({ uid: 'first', firstTriedAt: after(25), evictedAt: after(26) }), before()],
    true,
  ],
])('a pod %s is there in place of an evicted one, or not', (_, given, evictions, back) => {
  expect(isBack(pod('new', { owner: 'ReplicaSet/web', ...given }), aDrain('drain', { evictions }))).toBe(back);
});

describe('the volumes of a drain', () => {
  const WITH_CLAIM: PodOptions = { spec: { volumes: claimVolumes('data') } };
  const asks = (here: readonly Pod[], of: PodOptions = WITH_CLAIM, phase: DrainPhase = 'Evicting'): boolean => {
    const drain = aDrain('drain', { phase, evictions: [before({ uid: 'gone' }, of)] });
    return asksForVolumes(drain, clusterObjects({ nodes: [node(NODE)], pods: here }), after(300), defaultOptions());
  };

  test.each<readonly [what: string, here: readonly Pod[], asks: boolean]>([
    ['once its pods are gone', [], true],
    ['while a pod is still to go', [webPod('next')], false],
    ['while one is given time to end', [webPod('next', { deletedAt: after(290) })], false],
    ['though one is stuck on its way out', [webPod('next', { deletedAt: after(10) })], true],
    ['though one has ended', [webPod('next', { phase: 'Succeeded' })], true],
  ])('are asked for %s, or not', (_, here, expected) => {
    expect(asks(here)).toBe(expected);
  });

  test('are asked for where the node is marked again, and not once nothing is waited for', () => {
    expect(asks([], WITH_CLAIM, 'Tainting')).toBe(true);
    expect(asks([], WITH_CLAIM, 'Terminating')).toBe(false);
  });

  test('are not asked for where no pod that is gone had any', () => {
    expect(asks([], {})).toBe(false);
    expect(asks([webPod('next', { ...WITH_CLAIM, deletedAt: after(10) })], {})).toBe(false);
  });
});
