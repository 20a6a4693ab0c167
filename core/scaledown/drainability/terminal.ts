import { isFinished } from '../../model/cluster/pod.ts';
import type { DrainRule } from './rule.ts';
import { DRAIN_OK } from './outcome.ts';

/** A pod that has ended loses nothing. */
export const terminal: DrainRule = {
  name: 'terminal',
  decide: (pod) => (isFinished(pod) ? DRAIN_OK : null),
};
