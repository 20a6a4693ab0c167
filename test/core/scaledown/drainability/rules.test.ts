import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { daemonSet, mirror, terminal } from '../../../../core/scaledown/drainability/rules.ts';
import { ago, asked, barePod, webPod } from '../given.ts';

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

const LIKE_A_DAEMON = { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' };

describe('rule 4, daemonset: pods of a DaemonSet go with their node', () => {
  it.each<[string, Pod, string]>([
    ['of a DaemonSet', barePod({ owner: 'DaemonSet/agent' }), 'DrainOk'],
    ['in kube-system', barePod({ owner: 'DaemonSet/agent', namespace: 'kube-system' }), 'DrainOk'],
    ['declared to be like one', barePod({ annotations: LIKE_A_DAEMON }), 'DrainOk'],
    ['declared, with another controller', webPod({ annotations: LIKE_A_DAEMON }), 'DrainOk'],
    [
      'declared not to be',
      barePod({ annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'false' } }),
      '-',
    ],
    ['of a ReplicaSet', webPod(), '-'],
    ['without a controller', barePod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(daemonSet, pod)).toBe(expected);
  });
});

describe('rule 6, terminal: pods that have ended', () => {
  it.each<[string, Pod, string]>([
    ['succeeded', barePod({ phase: 'Succeeded' }), 'DrainOk'],
    ['failed', barePod({ phase: 'Failed' }), 'DrainOk'],
    ['succeeded, of a Job', barePod({ phase: 'Succeeded', owner: 'Job/once' }), 'DrainOk'],
    ['running', barePod({ phase: 'Running' }), '-'],
    ['pending', barePod({ phase: 'Pending' }), '-'],
    ['unknown', barePod({ phase: 'Unknown' }), '-'],
    ['running, being deleted', barePod({ deletedAt: ago(-5) }), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(terminal, pod)).toBe(expected);
  });
});
