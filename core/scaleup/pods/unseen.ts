import { isFinished, type Pod } from '../../model/cluster/pod.ts';
import { unboundPods } from '../../model/cluster/unbound-pods.ts';
import type { Scenario } from '../../model/scenario.ts';
import { isPending } from '../../model/pod-wait.ts';

/**
 * Is there a pod that no scheduler has said anything about yet? kube-scheduler reports an unschedulable pod (the event
 * that the webhook is about) independently of writing so into the pod's status, so the notification may come first, and
 * there may be more to decide in a moment. Pods of bypassed schedulers are pending all the same.
 */
export const hasUnseenPods = ({ objects, options }: Pick<Scenario, 'objects' | 'options'>): boolean =>
  unboundPods(objects.pods).some((pod) => isUnseen(pod) && !isPending(pod, options));

const isUnseen = (pod: Pod): boolean =>
  pod.unscheduled === null && pod.deletedAt === null && pod.spec.schedulingGates.length === 0 && !isFinished(pod);
