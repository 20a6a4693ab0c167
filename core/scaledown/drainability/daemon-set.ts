import { isDaemon } from '../../model/cluster/pod.ts';
import { DRAIN_OK, ruleFor } from './outcome.ts';

/** Pods of a DaemonSet, or declared to be like them, are of their node and go with it. */
export const daemonSet = ruleFor('daemonSet', DRAIN_OK, isDaemon);
