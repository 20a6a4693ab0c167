import type { SizeRefusal } from '../model/size-refusal.ts';
import { pauseText } from './pause.ts';
import type { Words } from './words.ts';

/** Why a size that was decided is not set. The next evaluation decides again. */
export const WHY_SIZE_NOT_SET: Readonly<Record<SizeRefusal['kind'], Words>> = {
  AlreadySet: { short: 'that is the target already', sentence: 'The node group has the size already.' },
  GroupGone: { short: 'the group is gone', sentence: 'The node group is gone.' },
  TargetChanged: {
    short: 'the target has changed',
    sentence: 'The target of the node group is not the one that the size was decided from.',
    advice: 'Let nothing but Outrigger change the size of the node group.',
  },
  AboveMaximum: { short: 'above the maximum', sentence: 'The maximum of the node group is now lower than the size.' },
  BelowMinimum: { short: 'below the minimum', sentence: 'The minimum of the node group is now higher than the size.' },
  InstancesArrived: {
    short: 'more instances have come',
    sentence:
      'More instances have come than the lower target would keep: one of them would be terminated without a drain.',
  },
  Superseded: {
    short: 'the group has failed since',
    sentence: 'The node group has failed since the size was decided, and its pods are planned again.',
    advice: 'See what the class of the failed launch calls for.',
  },
  Paused: {
    short: 'paused',
    sentence: 'Scale-up or scale-down has been paused since the size was decided.',
    advice: 'Resume it by outrigger resume (docs/pause.md).',
  },
  MaybeSetBefore: {
    short: 'it may have been set before',
    sentence:
      'The size may have been set before instances of the node group were terminated. Its pods are planned again.',
  },
};

/** Why exactly, as the outcome of the intent has it. */
export function whySizeNotSet(refusal: SizeRefusal): string {
  switch (refusal.kind) {
    case 'TargetChanged':
      return `the target is now ${refusal.now}, decided from ${refusal.from}`;
    case 'AboveMaximum':
      return `the maximum is now ${refusal.now}, decided ${refusal.to}`;
    case 'BelowMinimum':
      return `the minimum is now ${refusal.now}, decided ${refusal.to}`;
    case 'InstancesArrived':
      return `${refusal.now} instances exist now, decided ${refusal.to}: one of them would end`;
    case 'AlreadySet':
    case 'GroupGone':
      return WHY_SIZE_NOT_SET[refusal.kind].short;
    case 'Paused':
      return pauseText(refusal.pause);
    case 'Superseded':
    case 'MaybeSetBefore':
      return `${WHY_SIZE_NOT_SET[refusal.kind].short}: its pods are planned again`;
  }
}
