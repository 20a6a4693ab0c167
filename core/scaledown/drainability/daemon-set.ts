import { isDaemon } from '../../model/cluster/pod.ts';
import type { DrainRule } from './rule.ts';
import { DRAIN_OK } from './outcome.ts';

/** Pods of a DaemonSet, or declared to be like them, are of their node and go with it. */
export const daemonSet: DrainRule = {
  name: 'daemonSet',
  decide: (pod) => (isDaemon(pod) ? DRAIN_OK : null),
};
