import { firstItem } from '../model/values/existing.ts';
import { type Disruption, disruptionName, type DisruptionReport } from '../model/disruption.ts';
import { about, readable } from '../model/fault.ts';
import { isDaemon, isFinished, isMirror } from '../model/cluster/pod.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import type { State } from '../model/state.ts';
import { addTime, type DurationMs, durationMs, type EpochMs } from '../model/values/time.ts';
import { withRoomFor } from '../nodegroups/daemon-room.ts';
import { type GroupTemplate, groupTemplates } from '../nodegroups/node-templates.ts';
import { growingGroups } from '../nodegroups/skip-reason.ts';
import type { DisruptionStep, UnneededSearch } from '../scaledown/disrupt.ts';
import type { RemovalCandidate } from '../scaledown/unneeded.ts';
import { findReplacements } from './causes/replace.ts';
import { consolidate, consolidates } from './consolidation/consolidate.ts';
import { nodeCosts } from './consolidation/node-costs.ts';
import { ConsolidationSimulator } from './consolidation/consolidation-simulator.ts';
import type { MethodResult } from './disruption-method.ts';
import { type Commands, type DisruptionProgress, causeIn, goingOf, disruptionProgress } from './progress.ts';
import { byAge } from './waiting.ts';
import { withMoves } from './worth/moves.ts';

/**
 * Disrupts nodes that are needed: advances the commands that wait for their replacement, and looks for new commands.
 * Follows Karpenter's disruption controller, which launches replacements first; here scale-up launches them in the next
 * evaluation.
 */
export const disruptWith =
  (commands: Commands): DisruptionStep =>
  (searched) => {
    const progress = commands.stored
      .toSorted(byAge)
      .map((command) =>
        about({ kind: 'node', node: firstItem(command.nodes) }, () => disruptionProgress(command, commands, searched)),
      );
    const found = find(searched, progress);
    const ready = progress.flatMap((one) => (one.state === 'Ready' ? one.nodes : []));
    return {
      nodes: [...ready, ...found.nodes],
      messages: found.messages,
      settled: (state, gone) => {
        const { now } = searched.scenario;
        const moved = gone.filter(({ atOnce }) => atOnce === 'Underutilized');
        const after = settled(state, gone, progress, found, searched);
        return {
          ...after,
          state: withMoves(
            after.state,
            moved.flatMap(({ candidate }) => candidate.drain.move),
            now,
          ),
        };
      },
    };
  };

interface AllFound extends MethodResult {
  /** The reports on nodes, for when they are removed. */
  readonly reports: ReadonlyMap<NodeName, DisruptionReport>;
}

const NOTHING: AllFound = Object.freeze({ nodes: [], commands: [], messages: new Map(), reports: new Map() });

/**
 * Looks for new commands: a search does not see the capacity that an earlier one took. Nothing is begun anew for nodes
 * of stored commands.
 */
function find(given: UnneededSearch, progress: readonly DisruptionProgress[]): AllFound {
  const { scenario } = given;
  const known = new Set(progress.flatMap(({ command }) => command.nodes));
  const searched: UnneededSearch = {
    ...given,
    consider: (node, leniency) =>
      known.has(node.name)
        ? { kind: 'stays', unremovable: { node: node.name, reason: 'ReplacementPending' } }
        : given.consider(node, leniency),
  };
  const replace = findReplacements(searched, known);
  if (replace === null && !consolidates(scenario)) {
    return NOTHING;
  }
  const templates = templatesFor(searched);
  const costs = nodeCosts(scenario.nodeGroups, templates);
  const whatIf = new ConsolidationSimulator({ ...searched, templates, costs });
  const drained = scenario.state.deletionsInProgress.flatMap(({ node, kind }) => (kind === 'drain' ? node : []));
  const underWay = new Set([...drained, ...known]);
  const room = Math.max(0, scenario.options.maxDrainParallelism - underWay.size);
  const replaced = replace?.({ whatIf, costs, room }) ?? NOTHING;
  const left = Math.max(0, room - nodesIn(replaced.commands));
  const consolidated = consolidate(searched, whatIf, costs, left);
  const messages = new Map([...consolidated.messages, ...replaced.messages]);
  const cheaper = consolidated.commands.filter((command) => {
    const hold = searched.allowance.take(goingOf(command, searched), command.reason);
    if (hold !== null) {
      command.nodes.forEach((node) => messages.set(node, hold.message));
    }
    return hold === null;
  });
  return {
    nodes: [...replaced.nodes, ...consolidated.nodes],
    commands: [...replaced.commands, ...cheaper],
    messages,
    reports: consolidated.reports,
  };
}

/**
 * The templates as scale-up would have them for the pods of these nodes: without DaemonSets that keep the pods from new nodes of every
 * group, and are not known to run there.
 */
function templatesFor({ scenario, registry, cluster, takers }: UnneededSearch): ReadonlyMap<GroupName, GroupTemplate> {
  const templates = groupTemplates(scenario);
  const nodes = new Set(takers.map(({ name }) => name));
  const pods = scenario.objects.pods.filter(
    (pod) => pod.nodeName !== null && nodes.has(pod.nodeName) && !isDaemon(pod) && !isMirror(pod) && !isFinished(pod),
  );
  const growing = growingGroups(scenario.nodeGroups, registry.groups, templates);
  return withRoomFor({ pods, wants: () => true, growing }, templates, cluster);
}

const nodesIn = (commands: readonly Disruption[]): number => commands.reduce((sum, { nodes }) => sum + nodes.length, 0);

/** The state and the report, once it is known which nodes go. */
function settled(
  state: State,
  gone: readonly RemovalCandidate[],
  progress: readonly DisruptionProgress[],
  { commands, reports: ofNodes }: AllFound,
  searched: UnneededSearch,
): ReturnType<ReturnType<DisruptionStep>['settled']> {
  const { now, options } = searched.scenario;
  const going = new Set(gone.map(({ candidate: { node } }) => node.name));
  const reports: DisruptionReport[] = [
    ...[...going].flatMap((node) => ofNodes.get(node) ?? []),
    ...commands.map((command) => ({ state: 'Waiting' as const, ...caused(command, searched), ...command })),
  ];
  const waiting: Disruption[] = commands.map(commandOf);
  const until = new Map<NodeName, EpochMs>();
  for (const one of progress) {
    const { command } = one;
    const cause = caused(command, searched);
    if (one.state === 'Cancelled') {
      reports.push({ ...command, state: one.state, cancelled: one.cancelled, ...cause, ...said(one.message) });
      const again = notBefore(one, now, options.unremovableNodeRecheckTimeout);
      if (again > now) {
        command.nodes.forEach((node) => until.set(node, again));
      }
      continue;
    }
    const nodes = command.nodes.filter((node) => !going.has(node));
    if (nodes.length > 0) {
      waiting.push({ ...command, nodes });
    }
    const message = one.state === 'Ready' ? null : one.message;
    const isHeld = one.state === 'Ready' && nodes.length === command.nodes.length;
    const leftOut = one.state === 'Ready' || one.leftOut === undefined ? {} : { leftOut: one.leftOut };
    reports.push({ ...command, state: isHeld ? 'Held' : one.state, ...leftOut, ...cause, ...said(message) });
  }
  const { disruptions: _, ...rest } = state;
  return {
    state: {
      ...rest,
      ...(waiting.length > 0 && { disruptions: sortedBy(waiting, disruptionName) }),
      unremovableUntil:
        until.size === 0
          ? state.unremovableUntil
          : sortedRecord([...(Object.entries(state.unremovableUntil) as [NodeName, EpochMs][]), ...until]),
    },
    report: reports.length === 0 ? {} : { disruptions: sortedBy(reports, disruptionName) },
  };
}

/** The fields of a command that are stored. */
const commandOf = ({
  nodes,
  reason,
  replacement,
  maxCost,
  basis,
  saving,
  moves,
  since,
  deadline,
}: Disruption): Disruption => ({ nodes, reason, replacement, maxCost, basis, saving, moves, since, deadline });

function caused(command: Disruption, searched: UnneededSearch): Pick<DisruptionReport, 'cause'> {
  const cause = readable(() => causeIn(command, searched), null);
  return cause === null ? {} : { cause };
}

const said = (message: string | null): Pick<DisruptionReport, 'message'> => (message === null ? {} : { message });

/** A node that waited in vain is left alone for as long again. */
function notBefore(
  { cancelled, command }: Extract<DisruptionProgress, { readonly state: 'Cancelled' }>,
  now: EpochMs,
  recheck: DurationMs,
): EpochMs {
  switch (cancelled) {
    case 'DeadlineExceeded':
    case 'ReplacementFailed':
      return addTime(now, durationMs(Math.max(recheck, now - command.since)));
    case 'Unremovable':
      return addTime(now, recheck);
    case 'NodeGone':
    case 'ReasonGone':
    case 'TurnedOff':
    case 'ZonalShift':
    case 'Paused':
    case 'BudgetZero':
      return now;
  }
}
