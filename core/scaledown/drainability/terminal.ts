import { isFinished } from '../../model/cluster/pod.ts';
import { DRAIN_OK, ruleFor } from './outcome.ts';

/** A pod that has ended loses nothing. */
export const terminal = ruleFor('terminal', DRAIN_OK, isFinished);
