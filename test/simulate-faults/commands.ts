import { type Disruption, disruptionName } from '../../core/model/disruption.ts';
import type { Intent } from '../../core/model/intent.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import type { Stage } from './invariants/invariant.ts';

/** Commands that wait for their replacement: by what a decision was told, as far as it was stored. */
export function waitingCommands(
  { state: { disruptions = [] } }: Scenario,
  { remembered }: Pick<Stage, 'remembered'>,
): readonly Disruption[] {
  const stored = new Set((remembered()?.state.disruptions ?? []).map(disruptionName));
  return disruptions.filter((command) => stored.has(disruptionName(command)));
}

export const replacedNodes = (seen: Scenario, stage: Pick<Stage, 'remembered'>): readonly NodeName[] =>
  waitingCommands(seen, stage).flatMap(({ nodes }) => nodes);

/** What a commit has made of the commands that wait. */
export interface CommandChanges {
  readonly begun: readonly Disruption[];
  /** With the nodes whose removal was ordered: all of them, or as many as may go at a time. */
  readonly carriedOut: readonly { readonly command: Disruption; readonly nodes: readonly NodeName[] }[];
  /** Or forgotten, where what was stored was lost. */
  readonly givenUp: readonly Disruption[];
}

/** Compares the commands that are stored with those before, at each commit. */
export function watchCommands({
  remembered,
}: Pick<Stage, 'remembered'>): (intents: readonly Intent[]) => CommandChanges {
  let before: readonly Disruption[] = [];
  return (intents) => {
    const after = remembered()?.state.disruptions ?? [];
    const removed = new Set(
      intents.flatMap((intent) => (intent.kind === 'RemoveNodes' ? intent.nodes.map(({ node }) => node) : [])),
    );
    const isIn = (commands: readonly Disruption[], { nodes, since }: Disruption): boolean =>
      commands.some((one) => one.since === since && one.nodes.some((node) => nodes.includes(node)));
    const changes: CommandChanges = {
      begun: after.filter((command) => !isIn(before, command)),
      carriedOut: before.flatMap((command) => {
        const nodes = command.nodes.filter((node) => removed.has(node));
        return nodes.length === 0 ? [] : [{ command, nodes }];
      }),
      givenUp: before.filter((command) => !isIn(after, command) && !command.nodes.some((node) => removed.has(node))),
    };
    before = after;
    return changes;
  };
}
