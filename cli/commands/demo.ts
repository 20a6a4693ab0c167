import { Command, InvalidArgumentError } from 'commander';
import { type DemoOptions, demo } from '../demo/run.ts';

const NOTES = `
Examples:
  $ outrigger demo
  $ outrigger demo --speed 3 --seed 7
  $ outrigger demo --load examples/workloads/mixed.yaml
  $ outrigger demo --json | jq .summary

The same load and seed give the same run, byte for byte with --json. Without a terminal nothing waits.

Exit code: 0 when the simulation came to its end, also when some pod found no place (the summary says which and why);
2 when the load could not be understood.`;

/** `outrigger demo`: a simulated cluster, scaled by the real functions, to look at. */
export const demoCommand = (): Command =>
  new Command('demo')
    .description('Show a simulated EKS cluster being scaled, without a cluster, an account or a network')
    .option('--json', 'print the run as one JSON document and nothing else', false)
    .option('--speed <factor>', 'play so many times as fast', positive, 1)
    .option('--seed <number>', 'another course of chance (boot times, latencies, ties)', wholeNumber)
    .option('--load <file>', 'another load, in the format of docs/workload.md; - is standard input')
    .addHelpText('after', NOTES)
    .action(async (options: DemoOptions) => {
      // A reader that has seen enough, such as `head`, is no failure.
      process.stdout.on('error', leaveQuietly);
      process.exitCode = await demo(options, process);
    });

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) {
    throw new InvalidArgumentError('Expected a number above 0, such as 2 or 0.5.');
  }
  return value;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Expected a whole number, such as 7.');
  }
  return value;
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  // eslint-disable-next-line no-process-exit
  process.exit();
}
