import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { endWithInvalid } from './terminal/misuse.ts';

const NOTES = `
The script asks outrigger on the PATH for commands, options and values.

Examples:
  $ outrigger completion bash >> ~/.bashrc
  $ outrigger completion zsh >> ~/.zshrc
  $ outrigger completion fish > ~/.config/fish/completions/outrigger.fish`;

/** Adds `outrigger completion`, and the hidden command that the completion scripts call to list commands. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.summary('Print a script that completes commands and options in a shell')
    .description('Print a script that completes commands and options in a shell')
    .addHelpText('after', NOTES)
    .exitOverride(endWithInvalid);
}
