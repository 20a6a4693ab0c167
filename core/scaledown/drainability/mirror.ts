import { isMirror } from '../../model/cluster/pod.ts';
import { ruleFor, SKIP } from './outcome.ts';

/** The kubelet makes mirror pods from files of its node: they end with the node and cannot be moved. */
export const mirror = ruleFor('mirror', SKIP, isMirror);
