import { getExisting, itemAt } from '../../model/values/existing.ts';
import { clip, clippedList } from '../../model/values/clip.ts';
import type { PodReason } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { takenByDaemons } from '../../nodegroups/taken-by-daemons.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';
import { whyGroupCannotHelp } from '../../words/why-group-skipped.ts';
import type { Ledger } from './ledger.ts';
import { newNodeVerdict, onFreshNodes } from './new-nodes.ts';
import type { PlanInput } from './plan-input.ts';
import type { Rejection } from '../../scheduling/plugin.ts';

/** Pods of one kind for which no node is added now. */
export interface LeftOver {
  readonly kind: PodKind;
  readonly pods: readonly Pod[];
  /** Some group would hold them, but for a limit or because another decision comes first. */
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/** Limits that the decisions of this evaluation have used up. */
const USED_UP: ReadonlySet<string> = new Set(['MaxSizeReached', 'ResourceLimitExceeded', 'MaxCostPerHourReached']);

const NO_GROUP: PodReason = { reason: 'there is no node group' };

/** The verdict of one group on the pods of one demand. */
interface GroupVerdict {
  readonly reason: PodReason;
  /** The group would hold the pods, but for a limit or a decision that comes first. */
  readonly holds: boolean;
}

/**
 * Why no node is added for these pods, group by group.
 *
 * @param skipped the groups that could not grow from the start.
 */
export function leftOvers(input: PlanInput, ledger: Ledger, skipped: ReadonlySet<GroupName>): readonly LeftOver[] {
  const { demands, scenario } = input;
  if (demands.length === 0) {
    return [];
  }
  const verdicts = scenario.nodeGroups.map((group) => verdictsOf(input, ledger, group, skipped));
  return demands.map(({ kind, pods }, i) => ({
    kind,
    pods,
    awaiting: verdicts.some((ofGroup) => itemAt(ofGroup, i).holds),
    reasons: verdicts.length === 0 ? [NO_GROUP] : verdicts.map((ofGroup) => itemAt(ofGroup, i).reason),
  }));
}

/** The verdicts of a group, demand by demand. */
function verdictsOf(
  input: PlanInput,
  ledger: Ledger,
  group: NodeGroup,
  skipped: ReadonlySet<GroupName>,
): readonly GroupVerdict[] {
  const { demands, templates, scenario, scheduler } = input;
  const { name } = group;
  const skip = ledger.skipOf(group);
  const mayHold = skip === null || (USED_UP.has(skip.reason) && !skipped.has(name));
  const reason = { group: name, reason: mapOptional(skip, whyGroupCannotHelp) ?? laterThan(input, ledger) };
  const isSimulated = scenario.options.scaleupSimulationForSkippedNodeGroupsEnabled && templates.has(name);
  if (!mayHold && !isSimulated) {
    return demands.map(() => ({ reason, holds: false }));
  }
  const template = getExisting(templates, name);
  return onFreshNodes(input, ledger, name, (nodes) =>
    demands.map(({ kind }) => {
      const no = newNodeVerdict(scheduler, kind, nodes);
      if (no === null) {
        return { reason, holds: mayHold };
      }
      return { reason: { group: name, reason: whyNot(no, kind, template) }, holds: false };
    }),
  );
}

/** kube-scheduler's reasons, and the DaemonSets that take what the pod lacks. */
function whyNot(no: Rejection, kind: PodKind, template: GroupTemplate): string {
  const texts = [clippedList(no.reasons), takenByDaemons(no, kind, template)];
  return clip(texts.filter((text) => text !== null).join(': '));
}

/** Why a group that can still grow does not. */
const laterThan = ({ scenario }: PlanInput, ledger: Ledger): string =>
  ledger.nodesLeft() > 0
    ? 'waits for a later decision'
    : `maxNodesPerScaleup ${scenario.options.maxNodesPerScaleup} reached, the next evaluation goes on`;
