import { type InstanceId, type NodeName, byName, instanceId } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Instance, InstanceState } from '../../../core/model/node-group.ts';

/** One instance of a group as `DescribeAutoScalingGroups` shows it. */
export interface MemberInstance {
  readonly id: string;
  readonly zone: string | null;
  readonly lifecycleState: string;
}

/**
 * What a lifecycle state means to us; `null`: not a member of the group's capacity, so left out of instances and nodes.
 *
 * - Warm pool (`Warmed:*`): stopped or idle reserve that the desired capacity does not count.
 * - Standby and detaching: somebody has taken the instance out by hand. The desired capacity does not count it, and
 *   ending it through the group would take away one that is counted. Its node goes on as one of no group.
 * - A replaced root volume restarts the machine, but it stays the same member.
 *
 * States that AWS adds later count as running: such an instance is then neither replaced nor thought gone.
 */
export function instanceState(lifecycleState: string): InstanceState | null {
  switch (lifecycleState.replace(/:.*/, '')) {
    case 'Pending':
      return 'Creating';
    case 'Terminating':
    case 'Terminated':
      return 'Deleting';
    case 'Warmed':
    case 'EnteringStandby':
    case 'Standby':
    case 'Detaching':
    case 'Detached':
      return null;
    default:
      return 'Running';
  }
}

const PROVIDER_ID = /^aws:\/\/\/[^/]*\/(i-[0-9a-zA-Z]+)$/;

/** The EC2 instance behind a node, from `aws:///ZONE/ID`; `null` for Fargate, hybrid and other machines. */
export function instanceOfNode(node: Node): InstanceId | null {
  const match = node.providerId === null ? null : PROVIDER_ID.exec(node.providerId);
  return match === null ? null : instanceId(match[1]!);
}

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

export const newestFirst = (a: Node, b: Node): number =>
  (b.createdAt ?? 0) - (a.createdAt ?? 0) || byName(a.name, b.name);

export interface Membership {
  readonly instances: readonly Instance[];
  readonly nodes: readonly Node[];
}

/** Puts a group's instances and the registered nodes together, sorted by id and name. */
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
