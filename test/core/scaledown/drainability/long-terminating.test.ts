import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { longTerminating } from '../../../../core/scaledown/drainability/long-terminating.ts';
import { ago, asked, webPod } from '../given.ts';

const deleted = (secondsAgo: number, terminationGracePeriodSeconds = 30): Pod =>
  webPod({ deletedAt: ago(secondsAgo), spec: { terminationGracePeriodSeconds } });

describe('rule 2, longterminating: pods that are deleted for longer than their grace and 30 s are skipped', () => {
  it.each<[string, Pod, string]>([
    ['not deleted', webPod(), '-'],
    ['to be deleted soon', deleted(-20), '-'],
    ['over its grace and 30 s, to the second', deleted(60), '-'],
    ['over its grace and 30 s', deleted(61), 'Skip'],
    ['without grace, over 30 s', deleted(31, 0), 'Skip'],
    ['over a long grace and 30 s', deleted(631, 600), 'Skip'],
  ])('%s', (_, pod, expected) => {
    expect(asked(longTerminating, pod)).toBe(expected);
  });
});
