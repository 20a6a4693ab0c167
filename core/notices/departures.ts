import { readable } from '../model/fault.ts';
import { byName, type GroupName, type InstanceId, type NodeName } from '../model/values/names.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Notice, NoticeKind } from '../model/notice.ts';
import type { Scenario } from '../model/scenario.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { EARLIEST_DRAIN, isAnswered, isOver } from './due.ts';
import { mergedNotice } from './merged.ts';

/** A node that leaves because the cloud ends its instance, whether it is needed or not. */
export interface Departure {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly notice: NoticeKind;
  /** Until then pods are asked to go, and PodDisruptionBudgets respected. */
  readonly deadline: EpochMs;
}

/** How long a drain for a lifecycle hook may take: heartbeats keep the hook waiting meanwhile. */
const HOOK_TIME = minutes(15);

/**
 * The nodes of a cluster that are to leave for a notice and have not begun to. A notice is about one instance of one node
 * group: where that group does not have the instance, or no node has registered from it, it is about nothing here.
 *
 * @returns by name, each once however many notices there are; none of a node that is being removed already.
 */
export function departuresOf({
  notices = [],
  nodeGroups,
  objects,
  options,
  state,
  now,
}: Scenario): readonly Departure[] {
  const due = byInstance(notices);
  if (due.size === 0) {
    return [];
  }
  const leaving = new Set(state.deletionsInProgress.map(({ node }) => node));
  const there = new Set(objects.nodes.flatMap((node) => readable(() => [node.name], [])));
  const departures = nodeGroups.flatMap((group) => readable(() => membersOf(group), []));
  return departures
    .flatMap(({ group, instance, node }): Departure[] => {
      const notice = due.get(instance);
      return notice === undefined ||
        isOver(notice, now) ||
        !isAnswered(notice, options, now) ||
        notice.group !== group ||
        !there.has(node) ||
        leaving.has(node)
        ? []
        : [{ node, group, notice: notice.kind, deadline: deadlineOf(notice, now) }];
    })
    .toSorted((a, b) => byName(a.node, b.node));
}

/** One for each instance. */
function byInstance(notices: readonly Notice[]): ReadonlyMap<InstanceId, Notice> {
  const merged = new Map<InstanceId, Notice>();
  for (const notice of notices) {
    const known = merged.get(notice.instance);
    merged.set(notice.instance, known === undefined ? notice : mergedNotice(known, notice));
  }
  return merged;
}

interface Member {
  readonly group: GroupName;
  readonly instance: InstanceId;
  readonly node: NodeName;
}

const membersOf = ({ name, instances, invalid }: NodeGroup): readonly Member[] =>
  invalid === null
    ? instances.flatMap(({ id, node }) => (node === null ? [] : [{ group: name, instance: id, node }]))
    : [];

const deadlineOf = ({ endsAt, hook }: Notice, now: EpochMs): EpochMs =>
  endsAt ?? addTime(now, hook === null ? EARLIEST_DRAIN : HOOK_TIME);
