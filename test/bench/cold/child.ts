import { pathToFileURL } from 'node:url';

/** Starts the bundle that is named and calls it with the event that is given, if one is. Prints `Times` as JSON. */

interface Times {
  readonly initMs: number;
  /** Processor time of the same, in milliseconds: what a busy machine changes less. */
  readonly initCpuMs: number;
  readonly firstCallMs: number | null;
}

const [file = '', event] = process.argv.slice(2);
const begin = performance.now();
const before = process.cpuUsage();
const { handler } = (await import(pathToFileURL(file).href)) as {
  readonly handler: (event: unknown, context: object) => Promise<unknown>;
};
const initMs = performance.now() - begin;
const { user, system } = process.cpuUsage(before);
let firstCallMs: number | null = null;
if (event !== undefined) {
  const context = { functionName: 'ingest', awsRequestId: '1', invokedFunctionArn: 'arn', memoryLimitInMB: '256' };
  const called = performance.now();
  await handler(JSON.parse(event), { ...context, getRemainingTimeInMillis: () => 3_000 });
  firstCallMs = performance.now() - called;
}
const times: Times = { initMs, initCpuMs: (user + system) / 1_000, firstCallMs };
// The last line: what the function logs comes before it.
process.stdout.write(`\n${JSON.stringify(times)}\n`, () => process.exit());
