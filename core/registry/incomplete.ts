import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import { failuresOf, type GroupCounts } from './counts.ts';
import type { RequestProgress } from './scale-up-request.ts';

interface GroupProgress {
  readonly group: NodeGroup;
  readonly counts: GroupCounts;
  readonly progress: RequestProgress;
}

/**
 * Has a group that is all or nothing (`zeroOrMaxNodeScaling`) come in part? Some of its instances failed to launch or to
 * become nodes, or came after others had failed: the group is in backoff, has no node, and none is awaited. What is no node yet is then
 * ended with them, and what is missing is not waited for. Nodes stay until scale-down removes them, all of them or none:
 * pods may run on them.
 *
 * Follows `overrideNodesToDeleteForZeroOrMax` of Cluster Autoscaler's static_autoscaler.go, which ends nodes with their
 * pods, too.
 *
 * @param inBackoff it failed not long ago.
 */
export function isIncomplete(
  { group, counts, progress }: GroupProgress,
  inBackoff: boolean,
  options: Options,
): boolean {
  return (
    groupOption(options, group, 'zeroOrMaxNodeScaling') &&
    (failuresOf(counts).length > 0 ||
      counts.longUnregistered.length > 0 ||
      progress.kind === 'timed out' ||
      (inBackoff && progress.kind === 'none' && counts.registered === 0))
  );
}
