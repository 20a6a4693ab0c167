import type { Removal } from '../model/decision.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import { isLeaving, becameReadyAt } from '../model/cluster/node-condition.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved, type State } from '../model/state.ts';
import {
  AUTO,
  FIRST_UNNEEDED_TIME,
  type LearnedTime,
  LONGEST_UNNEEDED_TIME,
  SHORTEST_UNNEEDED_TIME,
  type WatchedRemoval,
} from '../model/unneeded-time.ts';
import type { GroupName } from '../model/values/names.ts';
import { valueOf } from '../model/values/records.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { type DurationMs, durationMs, minutes, seconds } from '../model/values/time.ts';

/** In boots: a node that is launched again within this time has cost more by its removal than it has saved. */
const SOON = 1.5;
/** The boot time of a group of which no boot was seen yet. */
const USUAL_BOOT = minutes(1);
/** Factors for the time after a removal that was regretted, and after any other removal. */
const LONGER = 2;
const SHORTER = 0.75;
/** The weight of another boot beside those before. */
const BOOT_WEIGHT = 1 / 4;

/** Whether the group's time is learned. */
export const isLearned = ({ options }: Pick<Scenario, 'options'>, group: Pick<NodeGroup, 'options'>): boolean =>
  groupOption(options, group, 'scaleDownUnneededTime') === AUTO;

/** How long a node of the group must have been unneeded before it is removed. */
export function unneededTimeOf(
  { options, state }: Pick<Scenario, 'options' | 'state'>,
  group: Pick<NodeGroup, 'name' | 'options'>,
): DurationMs {
  const given = groupOption(options, group, 'scaleDownUnneededTime');
  return given === AUTO ? (learnedOf(state, group.name)?.time ?? FIRST_UNNEEDED_TIME) : given;
}

const learnedOf = ({ unneededTimes = [] }: State, group: GroupName): LearnedTime | undefined =>
  unneededTimes.find((one) => one.group === group);

/**
 * The times that the groups have learned, for the next evaluation. A removal after which nodes of the group are
 * launched within a boot and a half doubles the time, any other removal makes it a quarter shorter, so that one
 * regretted removal in four keeps the time. It is never shorter than a boot: keeping a node for that long costs as much
 * as launching it again.
 *
 * @param removals that this evaluation begins.
 */
export function withLearned(scenario: Scenario, removals: readonly Removal[]): Pick<State, 'unneededTimes'> {
  const learned = scenario.nodeGroups
    .filter((group) => isLearned(scenario, group))
    .flatMap((group) => {
      const gone = removals.filter((removal) => removal.group === group.name && removal.reason === undefined);
      return learnedAbout(group, gone, scenario) ?? [];
    });
  if (learned.length > 0) {
    return { unneededTimes: sortedBy(learned, ({ group }) => group) };
  }
  return scenario.state.unneededTimes === undefined ? {} : { unneededTimes: undefined };
}

/** `null` while nothing is known of the group. */
function learnedAbout(group: NodeGroup, gone: readonly Removal[], scenario: Scenario): LearnedTime | null {
  const { state, now } = scenario;
  const { name } = group;
  const known = learnedOf(state, name);
  const boot = bootOf(group, known?.boot ?? null, scenario);
  if (known === undefined && boot === null && gone.length === 0) {
    return null;
  }
  const before = known ?? { group: name, time: FIRST_UNNEEDED_TIME, removals: 0, relaunched: 0, watched: [] };
  const judged = judgedOf({ ...before, boot }, scenario);
  const watched = [...judged.watched, ...gone.map(({ node }): WatchedRemoval => ({ node, at: now }))];
  return { ...judged, watched: sortedBy(watched, ({ node }) => node) };
}

/** With the removals taken into account of which it is known by now whether nodes were launched again soon. */
function judgedOf(known: LearnedTime, { state, now, objects }: Scenario): LearnedTime {
  const soon = SOON * (known.boot ?? USUAL_BOOT);
  const launched = valueOf(state.groups, known.group)?.lastScaleUp ?? null;
  const isRegretted = ({ at }: WatchedRemoval): boolean => launched !== null && launched > at && launched - at <= soon;
  const isKnown = (one: WatchedRemoval): boolean => isRegretted(one) || now - one.at > soon;
  // A node whose removal has failed is there as before, and says nothing. A drained node is there until its instance has ended.
  const remaining = objects.nodes.filter((node) => !isLeaving(node)).map(({ name }) => name);
  const staying = new Set(remaining).difference(nodesBeingRemoved(state));
  const gone = known.watched.filter(({ node }) => !staying.has(node));
  const times = [...new Map(gone.filter(isKnown).map((one) => [one.at, one])).values()];
  const regretted = times.filter(isRegretted).length;
  return {
    ...known,
    time: withinLimits(known.time * LONGER ** regretted * SHORTER ** (times.length - regretted), known.boot),
    removals: known.removals + times.length,
    relaunched: known.relaunched + regretted,
    watched: gone.filter((one) => !isKnown(one)),
  };
}

function withinLimits(time: number, boot: DurationMs | null): DurationMs {
  const shortest = Math.max(SHORTEST_UNNEEDED_TIME, boot ?? 0);
  const inSeconds = Math.round(Math.min(Math.max(time, shortest), LONGEST_UNNEEDED_TIME) / 1_000);
  return seconds(inSeconds);
}

/**
 * With the boots of nodes that have become ready since the last evaluation, from when their group was asked for nodes: for pods,
 * or for a replacement, which begins no delay of scale-down. Nodes that came later than any boot takes were asked for by others.
 */
function bootOf(
  { name, nodes }: NodeGroup,
  before: DurationMs | null,
  { objects, state }: Scenario,
): DurationMs | null {
  const { lastEvaluation, scaleUpRequests } = state;
  const requests = scaleUpRequests.filter(({ group }) => group === name).map(({ time }) => time);
  const asked = Math.max(valueOf(state.groups, name)?.lastScaleUp ?? 0, ...requests);
  if (lastEvaluation === null) {
    return before;
  }
  const members = new Set(nodes);
  let boot = before;
  for (const node of objects.nodes) {
    const { createdAt } = node;
    const ready = becameReadyAt(node);
    // A node of an earlier scale-up says nothing about this one.
    if (
      members.has(node.name) &&
      createdAt !== null &&
      createdAt >= asked &&
      createdAt - asked <= LONGEST_UNNEEDED_TIME &&
      ready !== null &&
      ready > lastEvaluation
    ) {
      boot = durationMs(boot === null ? ready - asked : Math.round(boot + BOOT_WEIGHT * (ready - asked - boot)));
    }
  }
  return boot;
}
