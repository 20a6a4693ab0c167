import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { type InstanceId, type NodeName, byName, instanceId } from '@outrigger/core/model/values/names.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { Instance, InstanceState, InstanceView } from '@outrigger/core/model/node-group.ts';
import type { LaunchedFrom } from './launched-from.ts';
import { newestFirst } from '@outrigger/core/model/cluster/newest-first.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** An instance of a group in `DescribeAutoScalingGroups`. */
export interface MemberInstance {
  readonly id: string;
  readonly zone: string | null;
  readonly lifecycleState: string;
  readonly launchedFrom: LaunchedFrom | null;
}

/**
 * The instance state for a lifecycle state; `null` for one that is not part of the group's capacity: such an instance is
 * left out of instances and nodes.
 *
 * - Warm pool (`Warmed:*`): stopped or idle instances that the desired capacity does not count. Such an instance is being
 *   ended while it waits for a lifecycle hook: it returns to the pool (`Warmed:Pending:Wait`) or leaves it.
 * - Standby and detaching: taken out manually. The desired capacity does not count the instance, and terminating it
 *   through the group would remove one that is counted. Its node counts as a node without a group.
 * - A replaced root volume restarts the instance, which stays a member.
 *
 * An unknown state counts as running, so that such an instance is neither replaced nor counted as terminated.
 */
export function instanceState(lifecycleState: string): InstanceState | null {
  switch (lifecycleState.replace(/:.*/, '')) {
    case 'Pending':
      return 'Creating';
    case 'Terminating':
    case 'Terminated':
      return 'Deleting';
    case 'Warmed':
      return lifecycleState.endsWith(':Wait') ? 'Deleting' : null;
    case 'EnteringStandby':
    case 'Standby':
    case 'Detaching':
    case 'Detached':
      return null;
    default:
      return 'Running';
  }
}

/**
 * The same of a single instance, which may serve on though the desired capacity does not count it.
 *
 * @param member `undefined` where the group does not have the instance.
 */
export function stateInGroup(member: MemberInstance | undefined): InstanceView['state'] {
  if (member === undefined) {
    return 'gone';
  }
  const { lifecycleState } = member;
  const state = instanceState(lifecycleState);
  if (state !== null) {
    return state === 'Deleting' ? 'ending' : 'in group';
  }
  return lifecycleState.startsWith('Warmed') ? 'gone' : 'aside';
}

const PROVIDER_ID = /^aws:\/\/\/[^/]*\/(i-[0-9a-zA-Z]+)$/;

/** The ID of a node's EC2 instance, from `aws:///ZONE/ID`; `null` for Fargate, hybrid and other nodes. */
export const instanceOfNode = ({ providerId }: Node): InstanceId | null =>
  mapOptional(PROVIDER_ID.exec(providerId ?? ''), (match) => instanceId(itemAt(match, 1)));

/** Nodes by the instance they run on, newest first where one instance has registered more than once. */
export type NodesByInstance = ReadonlyMap<InstanceId, readonly Node[]>;

export function nodesByInstance(nodes: readonly Node[]): NodesByInstance {
  const index = new Map<InstanceId, Node[]>();
  for (const node of nodes) {
    const id = instanceOfNode(node);
    if (id !== null) {
      index.set(id, [...(index.get(id) ?? []), node].sort(newestFirst));
    }
  }
  return index;
}

export interface Membership {
  readonly instances: readonly Instance[];
  readonly nodes: readonly Node[];
}

/** Matches a group's instances with the registered nodes; sorted by ID and name. */
export function membersOf(members: readonly MemberInstance[], index: NodesByInstance): Membership {
  const instances: Instance[] = [];
  const nodes: Node[] = [];
  for (const { id: raw, zone, lifecycleState } of members) {
    const state = instanceState(lifecycleState);
    if (state !== null) {
      const id = instanceId(raw);
      const own = index.get(id) ?? [];
      nodes.push(...own);
      instances.push({ id, node: own[0]?.name ?? null, zone, state, error: null });
    }
  }
  return {
    instances: instances.sort((a, b) => byName(a.id, b.id)),
    nodes: nodes.sort((a, b) => byName(a.name, b.name)),
  };
}

export const namesOf = (nodes: readonly Node[]): readonly NodeName[] => nodes.map((node) => node.name);
