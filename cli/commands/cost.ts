import { Command, Option } from 'commander';
import { type ClusterSize, SIZES } from '../../config/schema.ts';
import { type Profile, PROFILES } from '../cost/busy-hours.ts';
import { HOURS_AT_WORK, monthOf, PRICES, sizeFor, total } from '../cost/model.ts';
import { jsonText } from '../terminal/json-text.ts';
import { outputOption, wholeNumberBetween } from '../terminal/flag-values.ts';

const NOTES = `
This is the bill of Outrigger itself: functions, table, queue, logs and alarms. What the nodes of the cluster cost is printed by
outrigger node-cost.

Profiles:
  idle    no pod is pending and no node is unneeded, all the time
  office  for ${HOURS_AT_WORK.office} hours a month, pods come and go each minute, and up to 10 % of the nodes are added and removed in an hour; idle otherwise
  busy    all the time, jobs take up to 20 % more nodes several times an hour

The requests behind the figures are counted in a simulated cluster; docs/cost.md says how, and what is not counted. A
dashboard beyond the three that are free is not part of the cost.

Examples:
  $ outrigger cost --nodes 500
  $ outrigger cost --nodes 500 --profile busy
  $ outrigger cost --nodes 2000 --profile office -o json

Exit code:
  0  the cost was printed
  2  the command line is invalid`;

interface Flags {
  readonly nodes: number;
  readonly profile: Profile;
  readonly size?: ClusterSize;
  readonly output: 'text' | 'json';
}

/** `outrigger cost`: what Outrigger itself costs a month. Needs neither an account nor a cluster. */
export const costCommand = (): Command =>
  new Command('cost')
    .description('Estimate the bill of Outrigger itself, without the nodes. Needs no account')
    .addOption(
      new Option('--nodes <number>', 'nodes of the cluster')
        .argParser(wholeNumberBetween(1, 5_000))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--profile <profile>', 'what the cluster does').choices(PROFILES).default('idle'))
    .addOption(
      new Option('--size <size>', 'the setting size (default: the smallest for this number of nodes)').choices(SIZES),
    )
    .addOption(outputOption('output format'))
    .addHelpText('after', NOTES)
    .action(({ nodes, profile, size = sizeFor(nodes), output }: Flags) => {
      const bill = monthOf(nodes, size, profile);
      const rows = Object.entries<number>({ ...bill, total: total(bill) });
      if (output === 'json') {
        const usd = Object.fromEntries(rows.map(([item, cost]) => [item, Number(cost.toFixed(2))]));
        process.stdout.write(jsonText({ nodes, size, profile, usd }));
        return;
      }
      const title = `Outrigger itself, in USD a month, without the nodes (outrigger node-cost)\n${nodes} nodes, size: ${size}, profile ${profile}; ${PRICES.region}, list prices of ${PRICES.of}`;
      const lines = rows.map(([item, usd]) => `  ${item.padEnd(12)}${usd.toFixed(2).padStart(8)}\n`);
      process.stdout.write(`${title}\n\n${lines.join('')}`);
    });
