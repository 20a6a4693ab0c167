import type { EvictOutcome, SetSizeOutcome, TerminateOutcome } from '../model/answers.ts';
import type { IntentStatus } from '../model/intent.ts';
import type { Words } from './words.ts';

/** The API server's answers to a change of a node, and to an eviction. */
export const WRITE_ANSWERS: Readonly<Record<EvictOutcome['kind'], Words>> = {
  done: { short: 'done', sentence: 'The API server has accepted the change.' },
  gone: { short: 'gone', sentence: 'The object does not exist any more, or is another one of the same name.' },
  failed: {
    short: 'failed',
    sentence: 'The API server has refused the change, or did not answer.',
    advice: 'Check the permissions of Outrigger and the network path to the API server.',
  },
  refused: {
    short: 'eviction refused',
    sentence: 'A PodDisruptionBudget or an admission webhook allows no eviction of the pod now. It is tried again.',
  },
  throttled: { short: 'API server too busy', sentence: 'The API server is too busy. It is tried again.' },
};

/** The cloud's answers to a change of a node group. */
export const CLOUD_ANSWERS: Readonly<Record<SetSizeOutcome['kind'] | TerminateOutcome['kind'], Words>> = {
  set: { short: 'set', sentence: 'The provider has accepted the size of the node group.' },
  terminated: { short: 'terminated', sentence: 'The provider has accepted the termination of the instance.' },
  gone: { short: 'gone', sentence: 'The instance does not exist any more.' },
  failed: {
    short: 'failed',
    sentence: 'The call was refused, or not answered. The class says why.',
    advice: 'See what the class calls for.',
  },
};

/** The status of an intent: of a size to be set, of instances to be terminated, of nodes to be removed. */
export const INTENT_STATUS: Readonly<Record<IntentStatus, Words>> = {
  pending: { short: 'pending', sentence: 'It is stored, and has not been carried out yet.' },
  done: { short: 'done', sentence: 'It has been carried out.' },
  refused: {
    short: 'refused',
    sentence:
      'It was not carried out, as the node group is not as it was when it was decided. The next evaluation decides again.',
  },
  failed: {
    short: 'failed',
    sentence: 'It was refused. The node group backs off.',
    advice: 'See what the class of the failed launch calls for.',
  },
};
