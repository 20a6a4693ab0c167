import type { ConsideredOption } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { ClusterName, GroupName } from '../model/values/names.ts';
import type { Result } from '../model/values/result.ts';

/** An option of a choice, with its figures and the node group that would grow. */
export interface OptionOfGroup {
  readonly option: ConsideredOption;
  readonly group: NodeGroup;
}

/** A function of the user that chooses among node groups. */
export interface ExternalExpander {
  /**
   * The groups that the function prefers: at least one of the options. An error says as a clause why the function gave no usable
   * answer. Never rejects, and takes 5 seconds at most.
   */
  choose(
    cluster: ClusterName,
    options: readonly OptionOfGroup[],
    signal: AbortSignal,
  ): Promise<Result<readonly GroupName[], string>>;
}
