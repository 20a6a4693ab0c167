import { valueOf } from '../model/records.ts';
import { awaitsDevices } from '../model/accelerators.ts';
import type { Unremovable, UnremovableReason } from '../model/decision.ts';
import type { GroupName, NodeName } from '../model/names.ts';
import type { Node } from '../model/node.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Pod } from '../model/pod.ts';
import { isRemovalUnderWay } from '../model/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { formatTime } from '../model/time.ts';
import { isReady } from '../registry/readiness.ts';
import type { Registry } from '../registry/registry.ts';
import { protectionOf } from './protection.ts';
import { hasGpus, utilizationOf } from './utilization.ts';

/** A node that might go, as far as can be told without its pods. */
export interface Eligible {
  readonly node: Node;
  readonly info: NodeInfo;
  readonly group: NodeGroup;
  readonly ready: boolean;
  readonly utilization: number;
  /** Those of the cluster that are bound to it. */
  readonly pods: readonly Pod[];
}

export type Eligibility =
  | { readonly kind: 'eligible'; readonly candidate: Eligible }
  | { readonly kind: 'ineligible'; readonly unremovable: Unremovable };

export interface EligibilityContext {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly snapshot: Snapshot;
  readonly bound: ReadonlyMap<NodeName, readonly Pod[]>;
}

/**
 * Says of a node whether it may be looked at more closely, or the first reason why not. In Cluster Autoscaler's order
 * (its scaledown/eligibility, after its candidate processors); these leave nodes of no group and of groups at their
 * minimum out without a word.
 */
export function eligibilityCheck({ scenario, registry, snapshot, bound }: EligibilityContext) {
  const { options, now, provider, nodeGroups, state } = scenario;
  const leaving = new Set(state.deletionsInProgress.map(({ node }) => node));
  const groups = new Map<NodeName, NodeGroup>(nodeGroups.flatMap((group) => group.nodes.map((name) => [name, group])));
  const starting = new Set([...registry.groups.values()].flatMap((status) => status.starting));
  const ending = new Set(
    nodeGroups.flatMap(({ instances }) => instances.flatMap(({ node, state: of }) => (of === 'Deleting' ? node : []))),
  );
  const closed = new Map(scenario.objects.closedNodes.map((one) => [one.node, one.reason]));
  const sizes = new Map<GroupName, number>(nodeGroups.map((group) => [group.name, sizeOf(group, registry)]));

  return (node: Node): Eligibility => {
    const { name } = node;
    const no = (reason: UnremovableReason, message?: string): Eligibility => ({
      kind: 'ineligible',
      unremovable: { node: name, reason, ...(message === undefined ? {} : { message }) },
    });
    if (leaving.has(name)) {
      return no('CurrentlyBeingDeleted');
    }
    const group = groups.get(name);
    if (group === undefined) {
      return no('NotAutoscaled');
    }
    const unreadable = closed.get(name);
    if (unreadable !== undefined) {
      return no('Unreadable', unreadable);
    }
    if (group.invalid !== null) {
      return no('UnexpectedError', `node group ${group.name} is left out: ${group.invalid}`);
    }
    if (!groupOption(options, group, 'scaleDownEnabled')) {
      return no('NodeGroupScaleDownDisabled', `scaleDownEnabled is off for node group ${group.name}`);
    }
    if (group.updating) {
      return no('NodeGroupUpdating', `the cloud is updating node group ${group.name}, and replaces its nodes itself`);
    }
    if (sizes.get(group.name)! <= group.minSize) {
      return no('NodeGroupMinSizeReached', `node group ${group.name} has its minimum of ${group.minSize}`);
    }
    const until = valueOf(state.unremovableUntil, name);
    if (until !== undefined && until > now) {
      return no(
        'RecentlyUnremovable',
        `its pods had no other place, or its removal failed; looked at again from ${formatTime(until)}`,
      );
    }
    if (node.deletedAt !== null || ending.has(name) || isRemovalUnderWay(node, now)) {
      return no('CurrentlyBeingDeleted');
    }
    const annotation = protectionOf(node, now);
    if (annotation !== null) {
      return no('ScaleDownDisabledAnnotation', annotation);
    }
    if (starting.has(name)) {
      return no('NotUnneededOtherReason', 'it is starting');
    }
    const info = snapshot.byName(name);
    if (info === undefined) {
      return no('UnexpectedError', 'it is not in the simulated cluster');
    }
    const ready = isReady(node, options) && !awaitsDevices(node, group.template?.node ?? null, provider);
    if (!ready && !options.scaleDownUnreadyEnabled) {
      return no('ScaleDownUnreadyDisabled');
    }
    const pods = bound.get(name) ?? [];
    const ignored = {
      daemons: groupOption(options, group, 'ignoreDaemonSetsUtilization'),
      mirrors: options.ignoreMirrorPodsUtilization,
    };
    const utilization = utilizationOf(info, pods, ignored, provider, now);
    if (utilization === null) {
      return no('UnexpectedError', 'it does not say how much CPU and memory it has for pods');
    }
    const threshold = groupOption(
      options,
      group,
      hasGpus(node, provider) ? 'scaleDownGpuUtilizationThreshold' : 'scaleDownUtilizationThreshold',
    );
    if (utilization.share > threshold) {
      return no(
        'NotUnderutilized',
        `${percent(utilization.share)} of its ${utilization.resource} is requested, and ${percent(threshold)} is the threshold`,
      );
    }
    return {
      kind: 'eligible',
      candidate: { node, info, group, ready, utilization: utilization.share, pods },
    };
  };
}

/** What a group has, or will when its repairs are made: whichever is less. */
export const sizeOf = ({ name, targetSize }: NodeGroup, { groups }: Registry): number =>
  Math.min(targetSize, groups.get(name)?.target ?? targetSize);

/** To a tenth, rounded up: what is above a threshold is not to read like it. */
const percent = (share: number): string => `${Math.ceil(share * 1_000 - 1e-9) / 10}%`;
