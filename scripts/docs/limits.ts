import { readFileSync } from 'node:fs';
import { evaluationOf } from '../../cdk/stack/size.ts';
import { type ClusterSize, SIZES } from '../../config/schema.ts';
import { DEFAULT_TRANSPORT } from '../../providers/kubernetes/client/transport.ts';
import { FIGURES } from '../cost/size-figures.ts';
import { head, row } from './marked-tables.ts';

/** A limit, by the constant of the code that has it. */
interface Limit {
  readonly what: string;
  readonly file: string;
  readonly constant: string;
  readonly unit: (value: number) => string;
  readonly beyond: string;
}

const count = (unit: string) => (value: number) => `${value.toLocaleString('en-US')}${unit === '' ? '' : ` ${unit}`}`;
const time = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
const bytes = (value: number): string =>
  value >= 1024 * 1024 ? `${value / (1024 * 1024)} MiB` : `${Math.round(value / 1024)} KiB`;

const LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  Evaluations: [
    {
      what: 'Wake-ups merged into one evaluation',
      file: 'core/wakeups/wake-up.ts',
      constant: 'WINDOW_MS',
      unit: (ms) => `within ${time(ms)}`,
      beyond: 'The next wake-up causes another evaluation.',
    },
    {
      what: 'Time between evaluations that change nothing',
      file: 'core/wakeups/spacing.ts',
      constant: 'LONGEST_SPACE_MS',
      unit: (ms) => `at most ${time(ms)}`,
      beyond: '–',
    },
    {
      what: 'Age of a decision to remove a node or to terminate an instance',
      file: 'core/actuation/intent-age.ts',
      constant: 'VALID_FOR',
      unit: time,
      beyond: 'It is refused, and decided again.',
    },
    {
      what: 'Tries of one change, at least, in at least 5 minutes',
      file: 'core/actuation/intent-age.ts',
      constant: 'MAX_ATTEMPTS',
      unit: count(''),
      beyond: 'It failed, and its group is in backoff.',
    },
    {
      what: 'Age of a plan by which pods are nominated to their nodes',
      file: 'core/placement/due-releases.ts',
      constant: 'FRESH',
      unit: time,
      beyond: 'The next evaluation makes a new one.',
    },
    {
      what: 'Ready nodes with planned pods that one evaluation opens',
      file: 'core/placement/node-releases.ts',
      constant: 'AT_ONCE',
      unit: (nodes) => `${nodes}, or three quarters of them`,
      beyond: 'The next evaluation, at once, plans the others again.',
    },
    {
      what: 'Checks of pods for the remaining capacity of nodes that open, in one evaluation',
      file: 'core/placement/nominations.ts',
      constant: 'MOST_CHECKS',
      unit: count(''),
      beyond: 'kube-scheduler gives it away.',
    },
    {
      what: 'Time for which nodes of planned placement are looked for every 5 s, without a webhook',
      file: 'core/placement/due-releases.ts',
      constant: 'LONGEST_LOOK_OUT',
      unit: time,
      beyond: 'The schedule finds them.',
    },
    {
      what: 'Time for which a ready node is left to that',
      file: 'core/placement/nodes-awaiting-pods.ts',
      constant: 'LONGEST_WAIT',
      unit: time,
      beyond: 'It is opened with its pods.',
    },
    {
      what: 'Time for which a ready node awaits its pods',
      file: 'core/placement/nodes-awaiting-pods.ts',
      constant: 'OVERDUE',
      unit: time,
      beyond: 'It is opened without nominations.',
    },
    {
      what: 'Evaluations that start again because another one was committed meanwhile',
      file: 'functions/scale-up/scale-up.ts',
      constant: 'MAX_CONFLICTS',
      unit: count('in a row'),
      beyond: 'The wake-up is delivered again.',
    },
  ],
  'The cluster': [
    {
      what: 'Characters of the spec of a pod, as JSON',
      file: 'core/model/cluster/bounded-pod-spec.ts',
      constant: 'LONGEST_SPEC',
      unit: count(''),
      beyond:
        'The pod is not simulated ([decision 14](decisions/0014-what-is-followed-of-a-pod.md), with the other limits of a pod).',
    },
    {
      what: 'JSON of the CapacityBuffers, ProvisioningRequests, PodTemplates and PodGroups of a namespace, of each kind',
      file: 'providers/kubernetes/read/size-limit.ts',
      constant: 'MOST_OF_NAMESPACE',
      unit: bytes,
      beyond: 'Further objects, in the order of their names, are [not read](unreadable-objects.md), and reported.',
    },
    {
      what: 'Distinct terms of pod affinity, anti-affinity and topology spread of a namespace',
      file: 'core/scheduling/bounded-terms.ts',
      constant: 'TERMS_OF_NAMESPACE',
      unit: (terms) => `${count('')(terms)}, and 1 for each node`,
      beyond: 'Further pods with such terms are not simulated, those of the fewest replicas first.',
    },
    {
      what: 'The same of all namespaces',
      file: 'core/scheduling/bounded-terms.ts',
      constant: 'TERMS_OF_CLUSTER',
      unit: (terms) => `${count('')(terms)}, and 2 for each node`,
      beyond: 'Namespaces share them fairly; those with few terms keep them all.',
    },
    {
      what: 'Evictions of one PodDisruptionBudget that the API server has not confirmed',
      file: 'core/scaledown/pdb-tracker.ts',
      constant: 'MOST_DISRUPTED_PODS',
      unit: count(''),
      beyond: 'The API server refuses more of them: the nodes of its pods stay until then.',
    },
    {
      what: 'Characters of a duration or a quantity in an annotation',
      file: 'core/model/values/time.ts',
      constant: 'LONGEST_TEXT',
      unit: count(''),
      beyond: 'It is invalid.',
    },
    {
      what: 'Patterns in the ConfigMap of the expander `priority`',
      file: 'providers/manifest/priority-tiers.ts',
      constant: 'MOST_PATTERNS',
      unit: count(''),
      beyond: 'The ConfigMap is invalid.',
    },
    {
      what: 'Answer of the API server to the functions with 512 MB (Actuate, Drain)',
      file: 'functions/shared/changes-on-aws.ts',
      constant: 'SMALL_ANSWERS',
      unit: bytes,
      beyond: 'The read fails and is repeated.',
    },
    {
      what: 'Body of a webhook call that is read',
      file: 'providers/kubernetes/admission-review.ts',
      constant: 'MAX_BODY_BYTES',
      unit: bytes,
      beyond: 'The call counts all the same: what it says is not needed.',
    },
  ],
  'Auto Scaling groups': [
    {
      what: 'Groups whose scaling activities are read in one evaluation, the longest unread first',
      file: 'providers/aws/groups/activities.ts',
      constant: 'MAX_GROUPS',
      unit: count(''),
      beyond: 'The others are read by the next evaluations.',
    },
    {
      what: 'Shapes of one group: instance types in each of its zones',
      file: 'providers/aws/templates/node-shapes.ts',
      constant: 'MOST_SHAPES',
      unit: count(''),
      beyond: 'The smallest types are evaluated, with a warning.',
    },
    {
      what: 'Groups whose sizes are changed at the same time',
      file: 'core/actuation/next-intents.ts',
      constant: 'PARALLEL_LANES',
      unit: count(''),
      beyond: 'The others follow, one as soon as another is done.',
    },
    {
      what: 'Tags of a `discovery`',
      file: 'providers/schema/discovery.ts',
      constant: 'MOST_TAGS',
      unit: count(''),
      beyond: 'The configuration is refused.',
    },
  ],
  'The stored state': [
    {
      what: 'State of a cluster, compressed',
      file: 'providers/dynamodb/fitting-slots.ts',
      constant: 'MAX_STATE_BYTES',
      unit: bytes,
      beyond:
        'Parts are left out, and the metric `OmittedFromState` counts them ([decision 16](decisions/0016-what-is-stored-is-bounded.md)).',
    },
    {
      what: 'A [snapshot](large-clusters.md#cold-starts) of a list, compressed',
      file: 'providers/kubernetes/read/snapshot/snapshot-file.ts',
      constant: 'MOST_BYTES',
      unit: bytes,
      beyond: 'It is not read, with a warning, and the list is read in full.',
    },
    {
      what: 'What it expands to: the lists of some 1,000,000 pods',
      file: 'providers/kubernetes/read/snapshot/snapshot-file.ts',
      constant: 'MOST_EXPANDED_BYTES',
      unit: bytes,
      beyond: 'It is not stored, with a warning, and not read.',
    },
    {
      what: 'A stored decision, compressed',
      file: 'providers/compressed/document.ts',
      constant: 'MAX_DOCUMENT_BYTES',
      unit: bytes,
      beyond: 'Its explanations are shortened; its actions are kept.',
    },
    {
      what: 'A decision of the [history](history.md), compressed',
      file: 'providers/history/history.ts',
      constant: 'MAX_DECISION_BYTES',
      unit: bytes,
      beyond: 'Its explanations are shortened; its actions are kept.',
    },
    {
      what: 'What a decision of the history was made from, compressed',
      file: 'providers/compressed/scenario-bytes.ts',
      constant: 'MAX_SCENARIO_BYTES',
      unit: bytes,
      beyond: 'The decision is kept without it, and cannot be replayed. 30 pods on each of 200 nodes fit.',
    },
    {
      what: 'The history of a cluster, in an hour',
      file: 'core/explanation/history/room.ts',
      constant: 'HOUR_BYTES',
      unit: bytes,
      beyond:
        'What decisions were made from is left out from seven eighths on, of those that order nothing from three eighths on; then decisions are.',
    },
  ],
};

/**
 * The value of a constant, as its source has it: a product of numbers, or a duration of them, in milliseconds.
 *
 * @throws Error where the file has no such constant, or another expression.
 */
export function constantIn(source: string, constant: string): number {
  const expression = new RegExp(`^(?:export )?const ${constant}(?:: \\w+)? = (.+);$`, 'm').exec(source)?.[1] ?? '';
  const [, unit, product] = /^(?:(seconds|minutes)\()?([\d_ *]+)\)?$/.exec(expression) ?? [];
  if (product === undefined) {
    throw new Error(`no number in the constant ${constant}: found ${JSON.stringify(expression)}`);
  }
  const factor = unit === 'seconds' ? 1_000 : unit === 'minutes' ? 60_000 : 1;
  return product.split('*').reduce((all, part) => all * Number(part.replaceAll('_', '')), factor);
}

const valueOf = ({ file, constant }: Limit): number =>
  constantIn(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), constant);

const table = (limits: readonly Limit[]): string =>
  [
    ...head('Limit', 'Value', 'Beyond it'),
    ...limits.map((limit) => row(limit.what, limit.unit(valueOf(limit)), limit.beyond)),
  ].join('\n');

const sizes = (): string =>
  [
    ...head('`size`', 'Nodes', 'Memory', 'Time of an evaluation', 'Measured'),
    ...SIZES.map((size) => {
      const { memoryMiB, timeout } = evaluationOf(size);
      const nodes = { small: 'about 300', medium: 'about 1,500', large: 'more' }[size];
      const memory = `${memoryMiB.toLocaleString('en-US')} MB`;
      return row(`\`${size}\``, nodes, memory, `${timeout.toSeconds()} s`, measured(size));
    }),
  ].join('\n');

const measured = (size: ClusterSize): string => {
  const { nodes, scaleUp, scaleDown, peakMb } = FIGURES[size];
  return `${nodes.toLocaleString('en-US')} nodes: ${scaleUp} s and ${scaleDown} s of CPU, ${peakMb} MB`;
};

/** `docs/limits.md`: numbers from the code. */
export const limitsPage =
  (): string => `<!-- Written by \`npm run docs\` from scripts/docs/limits.ts and the constants that it names. -->

# Limits

Exceeding a limit never fails an evaluation: each table says what happens instead.

## Size of the cluster

The setting [\`size\`](configuration.md) decides how much memory and time an evaluation has:

${sizes()}

The nodes are for some 30 pods on each: what an evaluation needs is mostly what it lists. \`npm run test:size\` in a clone measures
the first evaluation of scale-up, with two pods of five nodes pending and 150 node groups, and one of scale-down: memory at the peak,
and CPU time of one x86-64 core. A vCPU of Lambda takes [about twice that](cost.md), and \`small\` has less than half a vCPU.

An answer of the API server may have up to ${bytes(DEFAULT_TRANSPORT.maxBodyBytes)}; lists are read in pages. An evaluation that runs out of memory or time does not
happen, and the alarm [EvaluationsFail](troubleshooting.md#evaluationsfail) is raised. A configuration has up to 500 clusters.

${Object.entries(LIMITS)
  .map(([title, limits]) => `## ${title}\n\n${table(limits)}`)
  .join('\n\n')}

The limits of a drain are in [drain.md](drain.md#phases), the delays and limits that are options in [options.md](options.md).

## Limits of AWS

| Limit | Effect |
|---|---|
| Calls of Auto Scaling and EC2 per account and region | Calls are tried again with growing pauses; one that is throttled for good is tried by the next evaluation. Descriptions are cached: launch templates and managed node groups for 20 minutes, prices for up to 12 hours. |
| 10 or 50 concurrent executions of Lambda in new accounts | Enough for one cluster, which needs seven at most: two of \`ScaleUp\`, and one of each other function, and one for each drain. Raise the quota for more clusters. A scheduled run that fails is not repeated, and one that finds no free execution for a minute is dropped: the next scan is near. |
| [Recursive loops](https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html): Lambda drops the 17th invocation of a chain through SQS or functions | \`ScaleUp\` and \`Drain\` send messages that invoke them again, and have \`RecursiveLoop: Allow\`; so has \`ScaleDown\`, which the last round of a drain invokes. Their chains end by themselves. The dashboard shows \`RecursiveInvocationsDropped\`, which stays at 0. |
| AWS advises a [visibility timeout](https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html) of six times that of the function | The queue of wake-ups has once, as a cluster's messages wait behind one whose function died. Receives that Lambda throttles count as deliveries: after five a wake-up is a dead letter, and the next scan does the same work. |
| A stream of DynamoDB has two readers at most | Outrigger's table has both, \`Actuate\` and \`Wake\`. A third one throttles all of them. |
| Control plane and webhook | The API server waits for the webhook for 2 seconds, and goes on without it. The scheduled evaluation finds the pod. |
| Names of stacks have no \`_\` | A cluster \`a_b\` has the stack \`Outrigger-a-b\`. A second cluster \`a-b\` of the same account and region is refused. |

## Not supported

* Draining of nodes before instances end that AWS takes back, with \`mode: observe\` and in node groups of Cluster API ([interruption-handling.md](interruption-handling.md#how-a-notice-arrives)).
* Nodes that are in no node group: Fargate, hybrid nodes, Karpenter's and Auto Mode's. They count
  for the scheduler, and are never removed.
* Groups that count in weights or vCPUs instead of instances: they are refused ([reasons.md](reasons.md#why-a-node-group-is-skipped)).
* Not simulated: dynamic resource allocation, the topology and the parents of PodGroups, and fields of pods that Kubernetes 1.37
  does not have. Pods that need them are reported as \`NotSimulated\`. Arguments of kube-scheduler have their defaults.
* Pods of a PodGroup that fit on existing nodes keep that room in the simulation, also while the PodGroup as a whole gets no nodes.
* Traces (\`tracing\`) in the regions of China, where X-Ray does not work with Lambda.
* The price list outside of the partition \`aws\`: with the expander \`price\`, on-demand prices come from the tag
  \`outrigger.dev/price\` alone.
* Flags of Cluster Autoscaler without a counterpart: [flags.md](flags.md#missing).
`;
