import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { daemonSet } from '../../../../core/scaledown/drainability/daemon-set.ts';
import { asked, barePod, webPod } from '../given.ts';

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
