import type { Disruption } from '../model/disruption.ts';
import { isDaemon, isFinished, isMirror } from '../model/cluster/pod.ts';
import type { GroupName } from '../model/values/names.ts';
import { withRoomFor } from '../nodegroups/daemon-room.ts';
import { type GroupTemplate, groupTemplates } from '../nodegroups/node-templates.ts';
import { growingGroups } from '../nodegroups/skip-reason.ts';
import type { RemovalFindings } from '../scaledown/find-removals.ts';
import type { RemovalContext } from '../scaledown/removal-context.ts';
import type { DisruptionProgress } from './advance-disruptions.ts';
import { REPLACEMENT } from './causes/replace.ts';
import { CONSOLIDATION } from './consolidation/consolidate.ts';
import { nodeCosts } from './consolidation/node-costs.ts';
import { ConsolidationSimulator } from './consolidation/consolidation-simulator.ts';
import { type DisruptionMethod, NO_PROPOSALS, type ProposalContext, type Proposals } from './proposal-context.ts';

/** The most urgent first. */
const METHODS: readonly DisruptionMethod[] = [REPLACEMENT, CONSOLIDATION];

/**
 * Looks for nodes to disrupt, method by method. A method does not see the capacity that an earlier one took.
 *
 * Follows Karpenter's disruption controller, which launches replacements first; here scale-up launches them in the next
 * evaluation.
 */
export function proposeDisruptions(
  given: RemovalContext,
  { unneeded, usedDestinations, destinationNodes }: RemovalFindings,
  progress: readonly DisruptionProgress[],
): Proposals {
  const underWay = new Set(progress.flatMap(({ disruption }) => disruption.nodes));
  const context: ProposalContext = { ...given, unneeded, usedDestinations, destinationNodes, underWay };
  const { scenario } = context;
  const methods = METHODS.filter((method) => method.isNeeded(context));
  if (methods.length === 0) {
    return NO_PROPOSALS;
  }
  const templates = templatesFor(context);
  const costs = nodeCosts(scenario.nodeGroups, templates);
  const simulator = new ConsolidationSimulator({ ...context, templates, costs });
  const drains = scenario.state.deletionsInProgress.filter(({ kind }) => kind === 'drain');
  const drained = new Set(drains.map(({ node }) => node));
  let room = Math.max(0, scenario.options.maxDrainParallelism - drained.union(underWay).size);
  let proposals = NO_PROPOSALS;
  for (const method of methods) {
    const found = method.propose(context, { simulator, costs, room });
    room = Math.max(0, room - nodesIn(found.disruptions));
    proposals = {
      nodes: [...proposals.nodes, ...found.nodes],
      disruptions: [...proposals.disruptions, ...found.disruptions],
      // A node's first message is the more urgent method's.
      messages: new Map([...found.messages, ...proposals.messages]),
      reports: new Map([...proposals.reports, ...found.reports]),
    };
  }
  return proposals;
}

/**
 * The templates as scale-up would have them for the pods of these nodes: without DaemonSets that keep the pods from new nodes of every
 * group, and are not known to run there.
 */
function templatesFor({
  scenario,
  registry,
  cluster,
  destinationNodes,
}: ProposalContext): ReadonlyMap<GroupName, GroupTemplate> {
  const templates = groupTemplates(scenario);
  const nodes = new Set(destinationNodes.map(({ name }) => name));
  const pods = scenario.objects.pods.filter(
    (pod) => pod.nodeName !== null && nodes.has(pod.nodeName) && !isDaemon(pod) && !isMirror(pod) && !isFinished(pod),
  );
  const growing = growingGroups(scenario.nodeGroups, registry.groups, templates);
  return withRoomFor({ pods, wants: () => true, growing }, templates, cluster);
}

const nodesIn = (disruptions: readonly Disruption[]): number =>
  disruptions.reduce((sum, { nodes }) => sum + nodes.length, 0);
