import { Argument, Command } from 'commander';
import { withStoredFlags } from '../explain/flags.ts';
import type { PlacementFlags } from '../placement/answer.ts';
import type { Action } from '../placement/plan.ts';

const NOTES = `
With planned placement, new nodes are closed to pods by a taint until the pods that they were launched for are nominated to
them (docs/planned-placement.md). Node groups give their nodes the taint:

  show    which node groups do, and what add would change (default)
  add     managed node groups by EKS, other groups by a new version of their launch template
  remove  the opposite, before Outrigger is uninstalled

Nothing is changed without --yes. Nodes that there are keep their launch template version; where Outrigger replaces drifted
nodes, it replaces them. The option plannedPlacement must be on, and Outrigger must act: add refuses otherwise.

Examples:
  $ outrigger planned-placement --cluster prod --region eu-west-1
  $ outrigger planned-placement add --cluster prod --group web-a --yes

Exit code:
  0  done, or shown
  1  a node group could not be read or changed; the others are changed
  2  the command line or the configuration is invalid`;

/** `outrigger planned-placement`: has new nodes wait for the pods that they were launched for. */
export const plannedPlacementCommand = (): Command =>
  withStoredFlags(
    new Command('planned-placement')
      .description('Have new nodes of node groups wait for their pods')
      .addArgument(new Argument('[action]', 'what to do').choices(['show', 'add', 'remove']).default('show')),
  )
    .option('--group <names...>', 'these node groups alone')
    .option('--yes', 'change them')
    .addHelpText('after', NOTES)
    .action(async (action: Action | 'show', flags: PlacementFlags) => {
      const { answerFromStored } = await import('../explain/stored.ts');
      const { placementAnswer } = await import('../placement/answer.ts');
      const answer = placementAnswer.bind(null, action, flags);
      process.exitCode = await answerFromStored({ flags, answer }, process);
    });
