import type { DeleteInstancesIntent } from '../model/intent.ts';
import type { GroupSize } from '../model/node-group.ts';

/** May an instance be terminated, and does its group's target come down with it? */
type DeletionVerdict =
  | { readonly kind: 'terminate'; readonly lowersTarget: boolean }
  | { readonly kind: 'refused'; readonly message: string };

/** At the group's minimum the instance is left alone, or replaced if the intent says so. */
export function judgeDeletion(
  { force }: Pick<DeleteInstancesIntent, 'force'>,
  size: GroupSize | null,
): DeletionVerdict {
  if (size === null) {
    return { kind: 'refused', message: 'the group is gone' };
  }
  const lowersTarget = size.target > size.min;
  return lowersTarget || force
    ? { kind: 'terminate', lowersTarget }
    : { kind: 'refused', message: `the group is at its minimum of ${size.min}` };
}
