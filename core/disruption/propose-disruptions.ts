import type { Disruption } from '../model/disruption.ts';
import { isDaemon, isFinished, isMirror } from '../model/cluster/pod.ts';
import type { GroupName } from '../model/values/names.ts';
import { withRoomFor } from '../nodegroups/daemon-room.ts';
import { type GroupTemplate, groupTemplates } from '../nodegroups/node-templates.ts';
import { growingGroups } from '../nodegroups/skip-reason.ts';
import type { RemovalFindings } from '../scaledown/find-removals.ts';
import type { RemovalContext } from '../scaledown/removal-context.ts';
import { type DisruptionProgress, goingOf } from './advance-disruptions.ts';
import { replaceableNodes, replaceNodes } from './causes/replace.ts';
import { consolidate, consolidates } from './consolidation/consolidate.ts';
import { nodeCosts } from './consolidation/node-costs.ts';
import { ConsolidationSimulator } from './consolidation/consolidation-simulator.ts';
import { NO_PROPOSALS, type ProposalContext, type Proposals } from './proposal-context.ts';

/**
 * Looks for nodes to disrupt: first for nodes that are to be replaced for a cause of their own, then for nodes that
 * consolidation saves. A search does not see the capacity that an earlier one took.
 *
 * Follows Karpenter's disruption controller, which launches replacements first; here scale-up launches them in the next
 * evaluation.
 */
export function proposeDisruptions(
  given: RemovalContext,
  { unneeded, taken, takers }: RemovalFindings,
  progress: readonly DisruptionProgress[],
): Proposals {
  const underWay = new Set(progress.flatMap(({ command }) => command.nodes));
  const context: ProposalContext = { ...given, unneeded, taken, takers, underWay };
  const { scenario, budgets } = context;
  const replaceable = replaceableNodes(context);
  if (replaceable.nodes.length === 0 && !consolidates(scenario)) {
    return NO_PROPOSALS;
  }
  const templates = templatesFor(context);
  const costs = nodeCosts(scenario.nodeGroups, templates);
  const whatIf = new ConsolidationSimulator({ ...context, templates, costs });
  const drained = scenario.state.deletionsInProgress.flatMap(({ node, kind }) => (kind === 'drain' ? node : []));
  const room = Math.max(0, scenario.options.maxDrainParallelism - new Set([...drained, ...underWay]).size);
  const replaced =
    replaceable.nodes.length === 0 ? NO_PROPOSALS : replaceNodes(replaceable, context, { whatIf, costs, room });
  const left = Math.max(0, room - nodesIn(replaced.commands));
  const consolidated = consolidate(context, { whatIf, costs, room: left });
  const messages = new Map([...consolidated.messages, ...replaced.messages]);
  const cheaper = consolidated.commands.filter((command) => {
    const hold = budgets.take(goingOf(command, scenario), command.reason);
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
function templatesFor({ scenario, registry, cluster, takers }: ProposalContext): ReadonlyMap<GroupName, GroupTemplate> {
  const templates = groupTemplates(scenario);
  const nodes = new Set(takers.map(({ name }) => name));
  const pods = scenario.objects.pods.filter(
    (pod) => pod.nodeName !== null && nodes.has(pod.nodeName) && !isDaemon(pod) && !isMirror(pod) && !isFinished(pod),
  );
  const growing = growingGroups(scenario.nodeGroups, registry.groups, templates);
  return withRoomFor({ pods, wants: () => true, growing }, templates, cluster);
}

const nodesIn = (commands: readonly Disruption[]): number => commands.reduce((sum, { nodes }) => sum + nodes.length, 0);
