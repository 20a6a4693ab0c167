import type { Writable } from 'node:stream';
import { intentsOf } from '@outrigger/core/actuation/intents-of.ts';
import { withoutLeftovers } from '@outrigger/core/drain/leftovers.ts';
import { evaluate } from '@outrigger/core/evaluate.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { writeDecision } from '@outrigger/providers/scenario/decision.ts';
import { noGroups, observeLive, type ObserveSettings } from '../live/observe.ts';
import { decisionText } from '../simulate/text.ts';
import { jsonText } from '../terminal/json-text.ts';
import { write } from '../terminal/streams.ts';
import { styleOf } from '../terminal/style.ts';
import { columnTable } from '../terminal/table.ts';

export interface OnceOptions {
  readonly output: 'text' | 'json';
  /** Report by the exit code whether something would be changed. */
  readonly detailedExitcode: boolean;
}

const NOTHING_TO_DO = 0;
const WOULD_CHANGE = 2;

/**
 * Evaluates a live cluster once, changes nothing, and prints the node groups found and the decision with its reasons.
 *
 * @returns the exit code: 0, or with `detailedExitcode` 2 where something would be changed
 * @throws Error where the cluster or the groups cannot be read, and where there are no groups
 */
export async function evaluateLiveOnce(
  settings: ObserveSettings,
  { output, detailedExitcode }: OnceOptions,
  stdout: Writable,
  signal: AbortSignal,
): Promise<number> {
  const observed = await observeLive(settings, signal);
  if (observed.nodeGroups.length === 0) {
    throw new Error(noGroups(settings));
  }
  const scenario = withoutLeftovers(observed);
  const decision = evaluate(scenario);
  await write(stdout, output === 'json' ? json(scenario, decision) : text(scenario, decision, styleOf(stdout).width));
  const changes = intentsOf(decision, scenario, 1, []).length > 0;
  return detailedExitcode && changes ? WOULD_CHANGE : NOTHING_TO_DO;
}

const inBrief = ({ name, minSize, maxSize, targetSize, nodes }: NodeGroup) => ({
  name,
  minSize,
  maxSize,
  targetSize,
  nodes: nodes.length,
});

const json = ({ nodeGroups }: Scenario, decision: Decision): string =>
  jsonText({ nodeGroups: nodeGroups.map(inBrief), decision: writeDecision(decision) });

function text(scenario: Scenario, decision: Decision, width: number): string {
  const { nodeGroups } = withStatedPrices(scenario);
  const rows = nodeGroups
    .map(inBrief)
    .map(({ name, minSize, maxSize, targetSize, nodes }) => [name, minSize, targetSize, maxSize, nodes].map(String));
  const heading = ['Found', 'Minimum', 'Target', 'Maximum', 'Nodes'];
  const found = columnTable([heading, ...rows], ['left', 'right', 'right', 'right', 'right']);
  return `${printable(found.join('\n'))}\n\n${decisionText(decision, width, nodeGroups)}`;
}
