import { getOwn } from '../model/values/existing.ts';
import type { Decision, Repair } from '../model/decision.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { byName, type GroupName, type InstanceId, type NodeName } from '../model/values/names.ts';
import { groupOption, heldInstances, type NodeGroup } from '../model/node-group.ts';
import { answersWithDrain, standIn } from '../notices/departures.ts';
import { mergedNotices } from '../notices/merged.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { DeleteInstancesIntent, Intent, NodeToRemove, RemoveNodesIntent, SetSizeIntent } from '../model/intent.ts';
import type { Scenario } from '../model/scenario.ts';

type Change =
  | Pick<SetSizeIntent, 'kind' | 'from' | 'to' | 'drained'>
  | Pick<DeleteInstancesIntent, 'kind' | 'instances' | 'force'>
  | Pick<RemoveNodesIntent, 'kind' | 'nodes'>;

/**
 * The intents of a decision, for each group in the order in which they are to be done: the target is lowered by nodes
 * that never came, broken instances are terminated, then the group grows, and nodes begin to leave.
 *
 * @param scenario that the decision was made from.
 * @param version of the state that the decision is committed with.
 * @param drains as they were when the decision was made.
 */
export function intentsOf(
  decision: Decision,
  scenario: Pick<Scenario, 'options' | 'now' | 'nodeGroups' | 'objects' | 'notices'>,
  version: number,
  drains: readonly StoredDrain[] = [],
): readonly Intent[] {
  const { options, now } = scenario;
  const changes = new Map<GroupName, Change[]>();
  const add = (group: GroupName, change: Change): unknown => getOrMake(changes, group, () => []).push(change);
  const resize = (group: GroupName, from: number, to: number): unknown =>
    add(group, { kind: 'SetSize', from, to, drained: drainedFrom(group, scenario, drains) });
  const { repairs, groups } = decision.registry;
  const failedLaunches = new Set(
    scenario.nodeGroups.flatMap(({ launchFailures }) => launchFailures.map(({ id }) => id)),
  );
  for (const [group, own] of Map.groupBy(repairs, (repair) => repair.group)) {
    const target = getOwn(groups, group).target;
    const lowered = target - excessOf(own, failedLaunches);
    if (lowered < target) {
      resize(group, target, lowered);
    }
    for (const [kind, force] of [
      ['DeleteUnregistered', options.forceDeleteUnregisteredNodes],
      ['DeleteErrored', options.forceDeleteFailedNodes],
      ['DeleteIncomplete', false],
    ] as const) {
      const instances = instancesIn(own, kind).filter((id) => !failedLaunches.has(id));
      if (instances.length > 0) {
        add(group, { kind: 'DeleteInstances', instances, force });
      }
    }
  }
  for (const { group, from, to } of decision.scaleUp.increases) {
    resize(group, from, to);
  }
  for (const repair of repairs) {
    if (repair.kind === 'IncreaseToMin') {
      resize(repair.group, repair.from, repair.to);
    }
  }
  for (const [group, nodes] of [...nodesToRemove(decision, scenario), ...departingNodes(decision, scenario)]) {
    add(group, { kind: 'RemoveNodes', nodes });
  }
  return [...changes].flatMap(([group, own]) =>
    own.map((change, place): Intent => ({
      id: place === 0 ? `${version}-${group}` : `${version}.${place}-${group}`,
      group,
      ...change,
      createdAt: now,
      status: 'pending',
      attempts: 0,
      claimedUntil: null,
      outcome: null,
    })),
  );
}

/** The instances of a group's drains that the group did not hold any more when it was observed. */
function drainedFrom(
  name: GroupName,
  { nodeGroups }: Pick<Scenario, 'nodeGroups'>,
  drains: readonly StoredDrain[],
): readonly InstanceId[] {
  const own = drains
    .map(({ drain }) => drain)
    .filter(({ group, phase }) => group === name && phase !== 'RolledBack')
    .map(({ instance }) => instance);
  const group: Pick<NodeGroup, 'instances'> = nodeGroups.find((one) => one.name === name) ?? { instances: [] };
  return [...new Set(own).difference(new Set(heldInstances(group).map(({ id }) => id)))].toSorted(byName);
}

/**
 * The nodes that are to leave, by group, as drains know them. A node without an instance behind it cannot leave. Those of a
 * group that is all or nothing go together.
 */
function nodesToRemove(
  { scaleDown: { removals } }: Decision,
  { options, nodeGroups, objects }: Pick<Scenario, 'options' | 'nodeGroups' | 'objects'>,
): ReadonlyMap<GroupName, readonly NodeToRemove[]> {
  const leaving = new Map<GroupName, NodeToRemove[]>();
  if (removals.length === 0) {
    return leaving;
  }
  const known = knownNodes({ nodeGroups, objects });
  for (const { node, group, kind } of removals) {
    const ids = known(node);
    if (ids !== null) {
      getOrMake(leaving, group, () => []).push({ node, ...ids, kind });
    }
  }
  for (const group of nodeGroups) {
    const nodes = leaving.get(group.name) ?? [];
    if (nodes.length > 1 && groupOption(options, group, 'zeroOrMaxNodeScaling')) {
      leaving.set(
        group.name,
        nodes.map((node) => ({ ...node, together: nodes.length })),
      );
    }
  }
  return leaving;
}

/** The nodes whose instances the cloud ends, and that are to be drained before, and hooks of instances without one, by group. */
function departingNodes(
  { departures = [], notices: announced = [] }: Decision,
  { nodeGroups, objects, notices = [], now }: Pick<Scenario, 'nodeGroups' | 'objects' | 'notices' | 'now'>,
): ReadonlyMap<GroupName, readonly NodeToRemove[]> {
  const leaving = new Map<GroupName, NodeToRemove[]>();
  if (announced.length === 0) {
    return leaving;
  }
  const add = (group: GroupName, node: NodeToRemove): unknown => getOrMake(leaving, group, () => []).push(node);
  const drained = new Set(announced.filter(({ answer }) => answersWithDrain(answer)).map(({ node }) => node));
  const known = knownNodes({ nodeGroups, objects });
  const hooks = new Map(mergedNotices(notices).map(({ instance, hook }) => [instance, hook] as const));
  for (const { node, group, notice: kind, deadline } of departures) {
    const ids = known(node);
    if (ids !== null && drained.has(node)) {
      const hook = hooks.get(ids.instance) ?? null;
      add(group, { node, ...ids, kind: 'drain', notice: { kind, deadline, hook } });
    }
  }
  for (const { instance, group, notice: kind, answer, until } of announced) {
    const hook = hooks.get(instance) ?? null;
    if (answer === 'CompleteHook' && hook !== null) {
      const notice = { kind, deadline: until ?? now, hook };
      // No node has this name and no uid.
      add(group, { node: standIn(instance), uid: '', instance, kind: 'empty', notice });
    }
  }
  return leaving;
}

/** The uid and the instance of a node; `null` where it lacks either. */
function knownNodes({
  nodeGroups,
  objects,
}: Pick<Scenario, 'nodeGroups' | 'objects'>): (node: NodeName) => Pick<NodeToRemove, 'uid' | 'instance'> | null {
  const uids = new Map(objects.nodes.map(({ name, uid }) => [name, uid]));
  const instanceOf = new Map<NodeName | null, InstanceId>(
    nodeGroups.flatMap(({ instances }) => instances.map(({ id, node }) => [node, id] as const)),
  );
  return (node) => {
    const [uid, instance] = [uids.get(node), instanceOf.get(node)];
    return uid === undefined || instance === undefined ? null : { uid, instance };
  };
}

/** By how much the target is lowered without deleting an instance. */
function excessOf(repairs: readonly Repair[], failedLaunches: ReadonlySet<InstanceId>): number {
  let excess = 0;
  for (const repair of repairs) {
    if ('instance' in repair) {
      excess += Number(failedLaunches.has(repair.instance));
    } else if (repair.kind === 'DecreaseTarget') {
      excess += repair.from - repair.to;
    }
  }
  return excess;
}

const instancesIn = (repairs: readonly Repair[], kind: Repair['kind']): readonly InstanceId[] =>
  repairs
    .filter((repair) => 'instance' in repair)
    .filter((repair) => repair.kind === kind)
    .map(({ instance }) => instance);
