import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { replicaCount } from '../../../../core/scaledown/drainability/replica-count.ts';
import { asked, barePod, drainContext, type Given } from '../given.ts';

const of = (owner: string, annotations = {}): Pod => barePod({ owner, annotations });
const ofGroup = (owner: string, apiVersion: string): Pod => {
  const pod = of(owner);
  return { ...pod, controller: { ...pod.controller!, apiVersion } };
};
const LIKE_A_DAEMON = { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' };
const atLeast = (minReplicaCount: number): Given => ({ options: { minReplicaCount } });

describe('rule 3, replicacount: the controller is there and has replicas enough', () => {
  it.each<[string, Pod, Given, string]>([
    ['no controller', barePod(), {}, '-'],
    ['a ReplicaSet that is there', of('ReplicaSet/web'), {}, '-'],
    ['a ReplicaSet that is gone', of('ReplicaSet/gone'), {}, 'Block ControllerNotFound'],
    ['a ReplicationController that is gone', of('ReplicationController/gone'), {}, 'Block ControllerNotFound'],
    ['a StatefulSet that is gone', of('StatefulSet/gone'), {}, 'Block ControllerNotFound'],
    ['a Job that is gone', of('Job/gone'), {}, 'Block ControllerNotFound'],
    ['a DaemonSet that is there', of('DaemonSet/agent'), {}, '-'],
    ['a DaemonSet that is gone', of('DaemonSet/gone'), {}, 'Block ControllerNotFound'],
    ['a StatefulSet of another API group', ofGroup('StatefulSet/gone', 'apps.kruise.io/v1beta1'), {}, '-'],
    ['a DaemonSet of another API group', ofGroup('DaemonSet/gone', 'apps.kruise.io/v1alpha1'), {}, '-'],
    ['a Job of another API group', ofGroup('Job/gone', 'batch.volcano.sh/v1alpha1'), {}, '-'],
    ['a ReplicaSet of another API group', ofGroup('ReplicaSet/gone', 'example.com/v1'), atLeast(4), '-'],
    ['a kind that is not known', of('CloneSet/gone'), {}, '-'],
    ['declared to be like a daemon', of('ReplicaSet/gone', LIKE_A_DAEMON), {}, '-'],
    ['as many replicas as must be', of('ReplicaSet/web'), atLeast(3), '-'],
    ['fewer replicas of a ReplicaSet', of('ReplicaSet/web'), atLeast(4), 'Block MinReplicasReached'],
    [
      'fewer replicas of a ReplicationController',
      of('ReplicationController/old'),
      atLeast(4),
      'Block MinReplicasReached',
    ],
    ['fewer replicas of a StatefulSet do not matter', of('StatefulSet/db'), atLeast(4), '-'],
    ['fewer pods of a Job do not matter', of('Job/once'), atLeast(4), '-'],
    ['a DaemonSet has no replicas', of('DaemonSet/agent'), atLeast(4), '-'],
    [
      'only with skipNodesWithCustomControllerPods: gone',
      of('ReplicaSet/gone'),
      { options: { skipNodesWithCustomControllerPods: false } },
      '-',
    ],
    [
      'only with it: few replicas',
      of('ReplicaSet/web'),
      { options: { skipNodesWithCustomControllerPods: false, minReplicaCount: 4 } },
      '-',
    ],
  ])('%s', (_, pod, given, expected) => {
    expect(asked(replicaCount, pod, given)).toBe(expected);
  });

  it('says which controller, and what of it', () => {
    expect(replicaCount.decide(of('Job/gone'), drainContext())).toMatchObject({
      message: 'its Job gone does not exist',
    });
    expect(replicaCount.decide(of('ReplicaSet/web'), drainContext(atLeast(5)))).toMatchObject({
      message: 'its ReplicaSet web has 3 desired replicas, fewer than 5',
    });
  });
});
