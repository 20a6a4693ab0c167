import { type Disruption, disruptionName, type DisruptionReport } from '../model/disruption.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { groupTemplates } from '../nodegroups/node-templates.ts';
import type { Disrupt } from '../scaledown/disrupt.ts';
import { consolidate, consolidates } from './consolidation/consolidate.ts';
import { nodeCosts } from './consolidation/node-costs.ts';
import { WhatIf } from './consolidation/what-if.ts';
import { withMoves } from './worth/moves.ts';

/** Removes nodes that are not unneeded where options ask for it. */
export const disrupt: Disrupt = (searched) => {
  const { scenario } = searched;
  const { nodeGroups, options, state: before, now } = scenario;
  if (!consolidates(scenario)) {
    return { nodes: [], messages: new Map(), settled: (state) => ({ state: withMoves(state, [], now), report: {} }) };
  }
  const templates = groupTemplates(scenario);
  const costs = nodeCosts(nodeGroups, templates);
  const draining = before.deletionsInProgress.filter(({ kind }) => kind === 'drain').length;
  const room = Math.max(0, options.maxDrainParallelism - draining);
  const { nodes, reports, commands, messages } = consolidate(
    searched,
    new WhatIf({ ...searched, templates, costs }),
    costs,
    room,
  );
  return {
    nodes,
    messages,
    settled: (state, gone) => {
      const going = gone.filter(({ atOnce }) => atOnce !== undefined);
      const moved = going.flatMap(({ candidate }) => candidate.drain.move);
      const all = sortedBy(
        [...going.flatMap(({ candidate }) => reports.get(candidate.node.name) ?? []), ...commands],
        disruptionName,
      );
      const waiting = sortedBy([...(state.disruptions ?? []), ...commands.map(commandOf)], disruptionName);
      return {
        state: { ...withMoves(state, moved, now), ...(waiting.length > 0 && { disruptions: waiting }) },
        report: all.length === 0 ? {} : { disruptions: all },
      };
    },
  };
};

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
}: DisruptionReport): Disruption => ({ nodes, reason, replacement, maxCost, basis, saving, moves, since, deadline });
