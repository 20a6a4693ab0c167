import { evaluationOf } from '../../cdk/stack/size.ts';
import { SIZES } from '../../config/schema.ts';
import { type Bill, CLUSTERS, ESTIMATES, HOURS, IDLE_HOUR, idleMonth, PRICES, STACK, total } from '../cost/model.ts';
import { head, row } from './marked-tables.ts';

/** `docs/cost.md`: what an idle cluster costs, computed from the model. */
export const costPage = (): string => `<!-- Written by \`npm run docs\` from scripts/cost/model.ts. -->

# Cost

A month (${HOURS} hours) of a cluster in which no pod waits and no node is unneeded, in USD at the list prices of
${PRICES.region} in ${PRICES.of}, without any free tier:

${bills()}

What happens in an hour is counted: \`test/cdk/cost.test.ts\` runs the functions against a simulated cluster and holds the
model to it, and to the template of the stack. In each hour there are ${sum(IDLE_HOUR.invocations)} invocations by schedules,
${IDLE_HOUR.wakeUps} messages, ${IDLE_HOUR.commits} transactions (${IDLE_HOUR.refusedCommits} of them refused), ${IDLE_HOUR.metrics} custom metrics, ${IDLE_HOUR.logLines} lines in the log. The stack has
alarms on ${STACK.alarmMetrics} metrics.

These are estimates, to be compared with a bill:

${estimates()}

The free tiers of an account (400,000 GB-seconds of Lambda, a million requests of SQS, ten alarms) cover more than half of it where nothing else uses them; they are not deducted here.

What costs more: pods that wait (an evaluation for each batch of webhook notifications), drains, metrics while they have a
value other than zero (0.30 USD for a whole month of one), \`tracing: true\` (${usd(sum(IDLE_HOUR.invocations) * HOURS * PRICES.trace)} USD for the invocations above).

## \`size\`

${sizes()}

An evaluation takes most of its time waiting, and memory is paid for meanwhile. \`small\` has less than half a vCPU: pods
that wait get their nodes some tenths of a second later. Memory is what a hostile user can fill ([hostile-objects.md](hostile-objects.md)):
in a cluster of 200 nodes with pods of a megabyte each an evaluation takes 529 MB, so that 512 MB would not do.

An evaluation that runs out of memory or time is an evaluation that does not happen: the alarm \`EvaluationsFail\` is raised
after five minutes.

## Alarms

The alarm \`EvaluationsFail\` counts the messages that leave the queue of wake-ups, \`ScaleDownFails\` the invocations that
succeed, \`ActuateFails\` and \`DrainFails\` the errors: metrics that AWS publishes free of charge. \`NeedsCorrection\` is a
metric of the functions, published while there is something to correct. CloudWatch charges an alarm by the metrics that it
is made from, and 0.50 USD for a composite one, so that combining alarms would save nothing.
`;

const TITLES: Readonly<Record<keyof Bill, string>> = {
  functions: 'Lambda',
  schedules: 'EventBridge rules',
  queue: 'SQS',
  table: 'DynamoDB',
  alarms: 'CloudWatch alarms',
  logs: 'CloudWatch Logs',
};

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [...head(...titles), ...rows.map((cells) => row(...cells))].join('\n');

const usd = (amount: number): string => amount.toFixed(2);
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

function bills(): string {
  const months = CLUSTERS.map(({ nodes, size }) => idleMonth(nodes, size));
  const rows = (Object.keys(TITLES) as (keyof Bill)[]).map((item) => [
    TITLES[item],
    ...months.map((bill) => usd(bill[item])),
  ]);
  const medium = CLUSTERS.map(({ nodes }) => usd(total(idleMonth(nodes, 'medium'))));
  return table(
    ['', ...CLUSTERS.map(({ nodes, size }) => `${nodes} nodes, \`size: ${size}\``)],
    [
      ...rows,
      ['**Total**', ...months.map((bill) => `**${usd(total(bill))}**`)],
      ['Total with `size: medium`, the default', ...medium],
    ],
  );
}

const estimates = (): string =>
  table(
    ['Estimate', 'Value'],
    [
      [
        'An evaluation with one vCPU',
        CLUSTERS.map(({ nodes }) => `${ESTIMATES.evaluationSeconds[nodes]} s at ${nodes} nodes`).join(', '),
      ],
      ['The same with `size: small`', `${ESTIMATES.smallSlowdown} times as long`],
      ['A run of Actuate that finds nothing to do', `${ESTIMATES.actuateSeconds} s`],
      ["Lambda's receives from the queue", `${ESTIMATES.receivesPerMinute} a minute`],
      ["Lambda's own lines in the log", `${ESTIMATES.platformLogBytes} bytes for each invocation`],
    ],
  );

const UP_TO = { small: 'about 300 nodes', medium: '1,500 nodes', large: 'more' } as const;

const sizes = (): string =>
  table(
    ['`size`', 'for up to', 'memory of an evaluation', 'time of an evaluation'],
    SIZES.map((size) => {
      const { memoryMiB, timeout } = evaluationOf(size);
      return [`\`${size}\``, UP_TO[size], `${memoryMiB.toLocaleString('en-US')} MB`, `${timeout.toSeconds()} s`];
    }),
  );
