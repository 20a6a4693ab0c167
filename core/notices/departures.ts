import { readable } from '../model/fault.ts';
import { byName, type GroupName, type InstanceId, type NodeName, nodeName } from '../model/values/names.ts';
import type { NoticeReport } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Notice, NoticeAnswer, NoticeKind } from '../model/notice.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved } from '../model/state.ts';
import { getOptional } from '../model/values/optional.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../model/values/time.ts';
import { isSpared } from '../scaledown/eligibility.ts';
import { answerTo, EARLIEST_DRAIN, mayCordon, optionsByGroup } from './due.ts';
import { mergedNotices } from './merged.ts';
import { isOver, overAt } from './over.ts';
import { ofPresentLives } from './present-lives.ts';

/** A node that leaves because of a notice, whether it is needed or not. */
export interface Departure {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly notice: NoticeKind;
  /** Until then pods are asked to go, and PodDisruptionBudgets respected. */
  readonly deadline: EpochMs;
}

/** The result of the notices of a scenario. */
export interface NoticeAnswers {
  /** All that are about instances of the cluster. */
  readonly reports: readonly NoticeReport[];
  /** Nodes that leave now, by name. */
  readonly departures: readonly Departure[];
  /** Nodes that leave once their pods have places elsewhere, by name. */
  readonly replaced: readonly Departure[];
  /** Nodes to be cordoned, by name. */
  readonly cordoned: ReadonlySet<NodeName>;
}

const NOTHING_ANNOUNCED: NoticeAnswers = Object.freeze({
  reports: [],
  departures: [],
  replaced: [],
  cordoned: new Set<NodeName>(),
});

/** How long a drain for a lifecycle hook may take: heartbeats keep the hook waiting meanwhile. */
const HOOK_TIME = minutes(15);

/** Says on a node that it was cordoned for a recommendation: one that is uncordoned again stays so. */
export const CORDONED_FOR_NOTICE = 'outrigger.dev/rebalance-recommendation';

/**
 * The answers to the notices of a scenario. A notice is about one instance of one node group: if the group does not
 * have the instance, the notice has no answer. The answer for a node that is being removed already is that removal.
 *
 * @returns each instance once, however many notices there are, and by instance
 */
export function announcedIn(scenario: Scenario): NoticeAnswers {
  const { nodeGroups, state, now } = scenario;
  const due = new Map(mergedNotices(ofPresentLives(scenario)).map((notice) => [notice.instance, notice]));
  if (due.size === 0) {
    return NOTHING_ANNOUNCED;
  }
  const { nodes, isWhole } = nodesThere(scenario);
  const leaving = nodesBeingRemoved(state);
  const reports = nodeGroups
    .flatMap((group) => readable(() => noticesOf(group, due, nodes, scenario), []))
    .flatMap(({ notice, node, answer }): NoticeReport[] => {
      const there = node !== null && nodes.has(node);
      const hookAlone =
        !there && isWhole && notice.hook !== null && answer === 'Drain' && !leaving.has(standIn(notice.instance));
      if (isOver(notice, now) || (!there && !hookAlone)) {
        return [];
      }
      return [there ? reportOf(notice, node, answer, now) : reportOf(notice, null, 'CompleteHook', now)];
    })
    .toSorted((a, b) => byName(a.instance, b.instance));
  return { reports, ...actionsOf(reports, scenario) };
}

/** Is a node removed for such an answer, once it leaves? */
export const answersWithDrain = (answer: NoticeAnswer): boolean => answer === 'Drain' || answer === 'Replace';

/** In place of its node's name: of an instance that never became one. Its removal is the completion of a lifecycle hook. */
export const standIn = (instance: InstanceId): NodeName => nodeName(instance);

/** A report about a node. */
type NodeReport = NoticeReport & { readonly node: NodeName };

function actionsOf(
  reports: readonly NoticeReport[],
  { state, objects, options, now }: Scenario,
): Omit<NoticeAnswers, 'reports'> {
  const leaving = nodesBeingRemoved(state);
  const staying = reports
    .filter((report): report is NodeReport => report.node !== null && !leaving.has(report.node))
    .toSorted((a, b) => byName(a.node, b.node));
  const of = (...answers: readonly NoticeAnswer[]): readonly NodeReport[] =>
    staying.filter(({ answer }) => answers.includes(answer));
  const departure = ({ node, group, notice, until }: NodeReport): Departure => ({
    node,
    group,
    notice,
    deadline: until ?? addTime(now, EARLIEST_DRAIN),
  });
  // Replacements are launched beside what is there: for no more nodes than are drained at the same time anyway.
  const drains = state.deletionsInProgress.filter(({ kind }) => kind === 'drain').length;
  const first = of('Replace')
    .toSorted((a, b) => a.receivedAt - b.receivedAt)
    .slice(0, Math.max(0, options.maxDrainParallelism - drains));
  const marked = new Set(
    objects.nodes.filter(({ annotations }) => CORDONED_FOR_NOTICE in annotations).map(({ name }) => name),
  );
  return {
    departures: of('Drain', 'Plan').map(departure),
    replaced: first.toSorted((a, b) => byName(a.node, b.node)).map(departure),
    cordoned: new Set(
      of('Cordon')
        .filter(({ node, receivedAt }) => !marked.has(node) && mayCordon(receivedAt, now))
        .map(({ node }) => node),
    ),
  };
}

function reportOf(notice: Notice, node: NodeName | null, answer: NoticeAnswer, now: EpochMs): NoticeReport {
  const { instance, group, kind, receivedAt, endsAt } = notice;
  return { instance, node, group, notice: kind, receivedAt, endsAt, answer, until: untilOf(notice, answer, now) };
}

/** Until when it is done: a drain until the instance ends, or its hook has been kept waiting for long enough. */
function untilOf(notice: Notice, answer: NoticeAnswer, now: EpochMs): EpochMs | null {
  switch (answer) {
    case 'Drain':
    case 'DrainLater':
    case 'Plan':
    case 'CompleteHook':
      if (notice.hook === null) {
        return notice.endsAt ?? addTime(now, EARLIEST_DRAIN);
      }
      // The instance ends now, whatever was announced for later.
      return epochMs(Math.min(notice.endsAt ?? Number.POSITIVE_INFINITY, addTime(now, HOOK_TIME)));
    case 'Replace':
      return overAt(notice);
    case 'Cordon':
    case 'Ignore':
      return null;
  }
}

/** The notices about instances of a group. */
function noticesOf(
  group: NodeGroup,
  due: ReadonlyMap<InstanceId, Notice>,
  nodes: ReadonlyMap<NodeName, Node>,
  scenario: Scenario,
): readonly (Pick<NoticeReport, 'node' | 'answer'> & { readonly notice: Notice })[] {
  if (group.invalid !== null) {
    return [];
  }
  const optionsOf = optionsByGroup(scenario.options, [group]);
  return group.instances.flatMap(({ id, node }) => {
    const notice = due.get(id);
    if (notice?.group !== group.name) {
      return [];
    }
    const answer = answerTo(notice, optionsOf(group.name), scenario.now);
    const of = getOptional(nodes, node);
    // A replacement would wait beside a node that stays.
    return { notice, node, answer: answer === 'Replace' && of && isSpared(of, group, scenario) ? 'Ignore' : answer };
  });
}

/** The nodes that were observed; `isWhole`: no unreadable node exists, which might be any instance's. */
function nodesThere({ objects }: Scenario): { readonly nodes: ReadonlyMap<NodeName, Node>; readonly isWhole: boolean } {
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  return { nodes, isWhole: objects.excludedNodes.every(({ node }) => nodes.has(node)) };
}
