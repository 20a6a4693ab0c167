import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { mirror } from '../../../../core/scaledown/drainability/mirror.ts';
import { asked, barePod, webPod } from '../given.ts';

const MIRROR = { 'kubernetes.io/config.mirror': 'a1b2' };

describe('rule 1, mirror: pods of files of the node are skipped', () => {
  it.each<[string, Pod, string]>([
    ['the annotation makes it one', barePod({ annotations: MIRROR }), 'Skip'],
    ['whatever the value', barePod({ annotations: { 'kubernetes.io/config.mirror': '' } }), 'Skip'],
    ['in kube-system too', barePod({ annotations: MIRROR, namespace: 'kube-system' }), 'Skip'],
    ['owned by its node', barePod({ annotations: MIRROR, owner: 'Node/n' }), 'Skip'],
    [
      'that must not be disrupted',
      barePod({ annotations: { ...MIRROR, 'karpenter.sh/do-not-disrupt': 'true' } }),
      'Skip',
    ],
    ['an annotation of another name', barePod({ annotations: { 'kubernetes.io/config.source': 'file' } }), '-'],
    ['the owner alone does not', barePod({ owner: 'Node/n' }), '-'],
    ['an ordinary pod', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(mirror, pod)).toBe(expected);
  });
});
