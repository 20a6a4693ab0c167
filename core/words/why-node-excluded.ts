import type { ExcludedNode, ExcludedNodeReason } from '../model/scenario.ts';
import type { Words } from './words.ts';

const CORRECT = 'Correct the object that the message names.';

/** Why a node is excluded: nothing is placed on it, and it is not removed. */
export const WHY_NODE_EXCLUDED = {
  UnreadableNode: {
    short: 'the node cannot be read',
    sentence: 'The Node object has a value that cannot be read: what the node offers is not known.',
    advice: CORRECT,
  },
  UnreadablePod: {
    short: 'a pod on it cannot be read',
    sentence: 'A pod on the node cannot be read: what the node has free, and what its removal would end, is not known.',
    advice: CORRECT,
  },
  UnreadableCSINode: {
    short: 'its CSINode cannot be read',
    sentence: 'The CSINode of the node cannot be read: how many volumes the node takes is not known.',
    advice: CORRECT,
  },
  UnreadableVolumeAttachment: {
    short: 'an attached volume cannot be read',
    sentence: 'A VolumeAttachment of the node cannot be read: how many volumes the node still takes is not known.',
    advice: CORRECT,
  },
  UnexpectedError: {
    short: 'unexpected error',
    sentence: 'The evaluation failed for the node or a pod on it, and goes on without it.',
    advice: 'Report the error as a bug.',
  },
} satisfies Record<ExcludedNodeReason, Words>;

/** Why this node is excluded, as exactly as is known. */
export const whyNodeExcluded = ({ reason, message }: Pick<ExcludedNode, 'reason' | 'message'>): string =>
  message === '' ? WHY_NODE_EXCLUDED[reason].short : message;
