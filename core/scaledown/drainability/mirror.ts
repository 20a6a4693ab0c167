import { isMirror } from '../../model/cluster/pod.ts';
import type { DrainRule } from './rule.ts';
import { SKIP } from './outcome.ts';

/** The kubelet makes mirror pods from files of its node: they end with the node and cannot be moved. */
export const mirror: DrainRule = {
  name: 'mirror',
  decide: (pod) => (isMirror(pod) ? SKIP : null),
};
