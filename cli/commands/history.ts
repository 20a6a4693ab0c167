import { Command } from 'commander';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import type { HistoryFlags } from '../history/answer.ts';
import { momentOf, sinceOption } from '../history/period.ts';
import { wholeNumberBetween } from '../terminal/flag-values.ts';

const NOTES = `
Decisions that said something new are kept for a week (option decisionHistory). Each has a number, which outrigger replay
takes; it is in parentheses where what the decision was made from was too large, or was not kept as decisions were
sampled. Times are in UTC. It is read from the DynamoDB table of the stack, and nothing is changed.

Examples:
  $ outrigger history --cluster prod --region eu-west-1
  $ outrigger history --cluster prod --since 2d --until 36h | grep 'scale up web'
  $ outrigger history --cluster prod --since 2026-01-01T12:00:00Z -o json

Exit code:
  0  the decisions were printed
  1  the table cannot be read
  2  the command line or the configuration is invalid`;

/** `outrigger history`: what was decided in the last days. */
export const historyCommand = (): Command =>
  withStoredFlags(new Command('history').description('List the decisions of the last days. Changes nothing'))
    .addOption(sinceOption())
    .option('--until <time>', 'the same (default: now)', momentOf)
    .option('--limit <number>', 'the number of decisions, at most', wholeNumberBetween(1, 10_000), 100)
    .addHelpText('after', NOTES)
    .action(async (flags: StoredFlags & HistoryFlags) => {
      const { answerFromStored } = await import('../explain/stored.ts');
      const { aboutHistory } = await import('../history/answer.ts');
      const answer = aboutHistory.bind(null, flags);
      process.exitCode = await answerFromStored({ flags, answer }, process);
    });
