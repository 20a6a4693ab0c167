import * as z from 'zod';
import { REPLICATING_KINDS } from '@outrigger/core/model/headroom.ts';
import type { Decision, UnexpectedError } from '@outrigger/core/model/decision.ts';
import { DEFERRED_REASONS, DISRUPTION_REASONS } from '@outrigger/core/model/disruption.ts';
import { NOTICE_ANSWERS, NOTICE_KINDS } from '@outrigger/core/model/notice.ts';
import { DISRUPTION_STATES, WHY_DISRUPTION_CANCELLED } from '@outrigger/core/words/disruption.ts';
import { POD_OUTCOMES, SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from '@outrigger/core/words/outcomes.ts';
import { PROVISIONING_OUTCOMES } from '@outrigger/core/words/provisioning.ts';
import { UNEXPECTED_ERRORS } from '@outrigger/core/words/unexpected-errors.ts';
import { CLOUD_ACTION_WORDS } from '@outrigger/core/words/cloud-actions.ts';
import { WHY_GROUP_SKIPPED } from '@outrigger/core/words/why-group-skipped.ts';
import { WHY_NODE_STAYS } from '@outrigger/core/words/why-node-stays.ts';
import type { Words } from '@outrigger/core/words/words.ts';
import { closed, orNull, recordTable } from './document.ts';
import { FORMER_FIELDS } from './former-names.ts';
import { API_VERSION, failureClass } from './names.ts';
import { zonalShift } from './node-group.ts';
import { pause } from './pause.ts';
import { state } from './state.ts';
import { time } from './time.ts';

// The order of fields is part of the format: the same decision has the same bytes wherever it was made. Every decision
// can be written, so names may be empty and numbers have no bounds.

const text = z.string();
const figure = z.custom<number>().meta({ type: 'number' });
const many = <T>(item: z.ZodType<T>) => z.array(item, 'a list');
/** A choice of words; also in explanations. */
export const word = <T extends string>(words: Readonly<Record<T, Words>>) => z.enum(Object.keys(words) as T[]);
const listed = (words: Readonly<Record<string, Words>>): string =>
  Object.keys(words)
    .map((one) => `\`${one}\``)
    .join(', ');

const increase = closed({ group: text, from: figure, to: figure });

const podReason = closed({ group: text.optional(), reason: text });

const podOutcome = closed({
  pod: text,
  outcome: word(POD_OUTCOMES),
  group: text.optional(),
  reasons: many(podReason).optional(),
});

const skippedGroup = closed({
  group: text,
  reason: word(WHY_GROUP_SKIPPED),
  class: failureClass.optional(),
  until: time.optional(),
  message: text.optional(),
});

const consideredOption = closed(
  {
    group: text,
    nodes: figure,
    pods: figure,
    waste: figure,
    priority: figure.optional(),
    price: figure.optional(),
    priceScore: figure.optional(),
    warm: figure.optional(),
    similarGroups: many(text),
    incomplete: z.boolean().optional(),
  },
  FORMER_FIELDS.consideredOption,
);

const scaleUp = closed(
  {
    result: word(SCALE_UP_RESULTS).describe(listed(SCALE_UP_RESULTS)),
    increases: many(increase).describe('`{group, from, to}`, one for each group that grows'),
    pods: many(podOutcome).describe(
      'what becomes of each pending pod: `Triggered` (with its `group`), `Fits` (there is room, or soon will be), `Awaiting` (a later decision can help), `Unschedulable`, `Ignored`, `UnexpectedError`; the last four with `reasons`',
    ),
    rejections: many(
      closed({
        pods: many(text),
        groups: many(closed({ groups: many(text), unmet: many(text) })),
        nearest: closed({ group: text, remedy: text }),
      }),
    )
      .optional()
      .describe(
        'for the first 10 shapes of pods that are `Unschedulable`: the `pods` of the shape, what new nodes lack for them, with numbers (`groups`: `{groups, unmet}`, the nearest node groups first, at most five entries), and the `nearest` node group, with what would meet its unmet requirements: `{group, remedy}`. Absent where there are none',
      ),
    upcoming: recordTable(figure).describe('group: upcoming nodes before this decision'),
    skippedGroups: many(skippedGroup).describe(
      'the groups that could not grow: `{group, reason, message}`, `message` where there is more to say. Reasons: `BackedOff`, with the `class` of the failure and its end `until`; `ZonalShift`, with its end `until`; `NotSimulated` (`maxBinpackingTime` was used up before); `Unhealthy`, `LaunchSuspended`, `Paused`, `MaxSizeReached`, `BeingRemoved`, `ResourceLimitExceeded`, `NoTemplate`, `Invalid`',
    ),
    headroom: many(
      closed({
        source: z.enum(['CapacityBuffer', ...REPLICATING_KINDS]),
        name: text,
        wanted: figure,
        fits: figure,
        upcoming: figure.optional(),
        triggered: figure,
        reasons: many(podReason).optional(),
        limit: closed({ from: figure, to: figure, quotas: many(text) }).optional(),
        problem: text.optional(),
      }),
    )
      .optional()
      .describe(
        'room that is held for pods to come, by CapacityBuffers and, with `enableProactiveScaleup`, for controllers that are about to create pods. `{source, name, wanted, fits, triggered}` are numbers of virtual pods: in all, on existing and upcoming nodes, and on added nodes. `upcoming` says how many of `fits` are on upcoming nodes, where there are any. `reasons` say why the others have none, `limit` names the ResourceQuotas that leave fewer than the buffer asks for: `{from, to, quotas}`, `problem` why less is held than asked for. Absent where none is asked for ([overprovisioning.md](overprovisioning.md))',
      ),
    releases: many(closed({ node: text, pods: many(text) }))
      .optional()
      .describe(
        'ready nodes whose taint `outrigger.dev/awaiting-pods` is taken off, in this order, and the pods that are nominated to each immediately before: `{node, pods}`. Absent where there are none ([planned-placement.md](planned-placement.md))',
      ),
    awaitingDevices: many(text)
      .optional()
      .describe(
        'ready nodes that keep this taint until the devices are announced that pods planned on them ask for, half a minute at most. Absent where there are none',
      ),
    requeued: closed({ pod: text, node: text })
      .optional()
      .describe(
        'a pod that has room on a node without the taint, and that kube-scheduler is made to try again: it is nominated to the node, and the nomination is removed. Absent where there is none ([planned-placement.md](planned-placement.md))',
      ),
    provisioningRequests: many(
      closed({
        name: text,
        class: text,
        outcome: word(PROVISIONING_OUTCOMES),
        wanted: figure,
        fits: figure,
        upcoming: figure.optional(),
        triggered: figure,
        until: time.optional(),
        reasons: many(podReason).optional(),
        message: text.optional(),
      }),
    )
      .optional()
      .describe(
        `what the open ProvisioningRequests are answered, the oldest first: \`{name, class, outcome, wanted, fits, upcoming, triggered, until, reasons, message}\`, with \`outcome\` one of ${listed(PROVISIONING_OUTCOMES)}. Absent where there are none ([provisioning-requests.md](provisioning-requests.md))`,
      ),
    skippedDaemonSets: many(closed({ daemonSet: text, group: text, groups: figure, reason: text }))
      .optional()
      .describe(
        'DaemonSets that new nodes are planned without, because they do not fit or are preempted by a pod of higher priority: `{daemonSet, group, groups, reason}`, with the first group and the number of groups; 32 at most, and absent where there are none ([decision 14](decisions/0014-what-is-followed-of-a-pod.md))',
      ),
    considered: many(
      closed(
        {
          options: many(consideredOption),
          winner: text,
          why: text,
          split: many(increase),
          unbalanced: many(closed({ group: text, reason: text })).optional(),
          unanswered: many(text).optional(),
        },
        FORMER_FIELDS.considered,
      ),
    ).describe(
      'each choice among groups: the options, the winner, why it won, and how its nodes were split. Each option has the figures `nodes`, `pods` and `waste`; for some expanders `priority`, `price` and `priceScore`; with a [warm pool](warm-pools.md) `warm`. Nodes of a choice are not launched if their pods fit on those of the other choices; `why` then says how many. `cutShort`: the estimate ended once it could not win any more, so its figures are of a part. `unbalanced`: `{group, reason}` of groups over which the nodes were not balanced. A pod prevents it in a similar group, or one label or resource differs; absent where there are none. `unanswered`: the groups among which the [external expander](external-expander.md) has no answer; absent otherwise',
    ),
    plan: closed(
      { cost: figure, bound: figure.nullable().default(null), basis: z.enum(['price', 'size']) },
      FORMER_FIELDS.plan,
    )
      .nullable()
      .default(null)
      .describe(
        'the cost of the plan, `null` if no node is launched: `{cost, bound, basis}`. `bound` is a lower bound of the cost of any plan ([decision 11](decisions/0011-first-fit-alone.md)). `basis` is `price` (USD per hour), or `size` if no group has a price: CPU, memory and GPUs then count at reference prices',
      ),
  },
  FORMER_FIELDS.scaleUp,
);

const removal = closed({
  node: text,
  group: text,
  kind: z.enum(['empty', 'drain']),
  reason: z.enum(DISRUPTION_REASONS).optional(),
  pods: many(text),
  destinations: many(closed({ node: text, pods: figure })),
});

const unremovable = closed({
  node: text,
  reason: word(WHY_NODE_STAYS),
  pod: text.optional(),
  podReason: text.optional(),
  message: text.optional(),
});

const disruption = closed(
  {
    nodes: many(text),
    reason: z.enum(DISRUPTION_REASONS),
    state: word(DISRUPTION_STATES),
    cancelled: word(WHY_DISRUPTION_CANCELLED).optional(),
    deferred: z.enum(DEFERRED_REASONS).optional(),
    cause: text.optional(),
    replacement: text.nullable(),
    maxCost: figure,
    basis: z.enum(['price', 'size']),
    saving: figure,
    moves: figure,
    workAtRisk: figure.optional(),
    since: time,
    deadline: time,
    message: text.optional(),
  },
  FORMER_FIELDS.disruption,
);

const budget = closed(
  {
    group: text.nullable(),
    budget: text,
    nodes: figure,
    total: figure,
    disrupting: figure,
    until: text.nullable(),
    unreadable: text.optional(),
  },
  FORMER_FIELDS.budget,
);

/** Also in explanations. */
export const nodeUtilization = closed({
  cpu: figure.optional(),
  memory: figure.optional(),
  gpu: figure.optional(),
  threshold: figure,
});

const scaleDown = closed({
  result: word(SCALE_DOWN_RESULTS).describe(listed(SCALE_DOWN_RESULTS)),
  unneeded: many(text).describe('unneeded nodes; since when is in `state.unneededSince`'),
  utilization: recordTable(nodeUtilization)
    .optional()
    .describe(
      'of unneeded nodes, but for those that are disrupted: by node, which shares of `cpu` and `memory`, or of `gpu`, its pods request, and up to which `threshold` it is unneeded; absent where there are none',
    ),
  removals: many(removal).describe(
    '`{node, group, kind, reason, pods, destinations}`: the removal, the number of pods that move, and the destination nodes as `{node, pods}` with the number of pods for each. `reason` is absent where the node is unneeded, else `Underutilized`, `Drifted`, `Expired` or `Unhealthy`',
  ),
  unremovable: many(unremovable).describe(
    '`{node, reason}`, with the `pod` that stands in the way and its `podReason`, and a `message` for people. An unneeded node may be among them',
  ),
  message: orNull(text).describe('why nothing is removed, where the result does not say it all'),
  awaitsScaleUp: z
    .literal(true)
    .optional()
    .describe('only of an evaluation of scale-down alone: pods need nodes that scale-up has not added yet'),
  disruptions: many(disruption)
    .optional()
    .describe(
      `only where there are any: what became of each disruption that removes nodes once their replacement is ready ([disruption](disruption.md)): \`{nodes, reason, state, replacement, maxCost, basis, saving, moves, since, deadline}\`. \`state\` is one of ${listed(DISRUPTION_STATES)}, with the reason \`cancelled\`. \`deferred\` says why scale-up has deferred a waiting disruption: ${DEFERRED_REASONS.map((one) => `\`${one}\``).join(', ')}. Others are the \`cause\` for drifted, expired or unhealthy nodes, the \`workAtRisk\` of the pods in core-seconds, and a \`message\` for people`,
    ),
  budgets: many(budget)
    .optional()
    .describe(
      'only where one is in force: of the cluster (`group` is `null`) and of each node group, the most restrictive [disruption budget](budgets.md), whatever it is about: `{group, budget, nodes, total, disrupting, until}`: `nodes` of `total` may be unavailable, `disrupting` were before this decision, `until` is the end of its schedule, and `unreadable` why it cannot be read',
    ),
});

export const nodeCounts = {
  registered: figure,
  ready: figure,
  unready: figure,
  notStarted: figure,
  unregistered: figure,
  longUnregistered: figure,
  deleted: figure,
  suspended: figure,
};

const groupReport = closed({
  healthy: z.boolean(),
  target: figure,
  ...nodeCounts,
  acceptable: closed({ min: figure, max: figure, current: figure }),
  incorrectSize: closed({ current: figure, expected: figure, firstObserved: time }).nullable().default(null),
  backoffUntil: time.nullable().default(null),
  warnings: many(word(CLOUD_ACTION_WORDS)).optional(),
  resizedByOthers: closed({ from: figure, to: figure }).optional(),
  scheduledMinimum: closed({ nodes: figure, by: text, until: text.nullable() }).optional(),
  zonalShifts: many(zonalShift).optional(),
});

const repair = z.discriminatedUnion('kind', [
  closed({ kind: z.enum(['DeleteUnregistered', 'DeleteErrored', 'DeleteIncomplete']), group: text, instance: text }),
  closed({ kind: z.enum(['DecreaseTarget', 'IncreaseToMin']), group: text, from: figure, to: figure }),
]);

const registry = closed({
  clusterHealthy: z.boolean().describe('whether few enough nodes of the cluster are unready'),
  totals: closed(nodeCounts).describe(
    '`{registered, ready, unready, notStarted, unregistered, longUnregistered, deleted, suspended}`: all nodes, those of no group included, and the instances that are no nodes',
  ),
  groups: recordTable(groupReport).describe(
    'the same numbers for each group, with `healthy`, `target`, `acceptable: {min, max, current}`, `incorrectSize: {current, expected, firstObserved}` or `null`, and `backoffUntil` or `null`; `warnings`, the [actions of the cloud](reasons.md#actions-of-the-cloud-on-node-groups) on its nodes, where there are any. `resizedByOthers: {from, to}` where another client has changed the size that was set; `scheduledMinimum: {nodes, by, until}` while a [capacity schedule](schedules.md) is in force; `zonalShifts`, a list of `{zone, until, launches}`, while traffic is [shifted away from a zone](zonal-shifts.md)',
  ),
  repairs: many(repair).describe('what is being repaired ([cluster-state.md](cluster-state.md))'),
});

/** Without the stack, which differs between builds. */
const unexpectedError = z.codec(
  closed({
    during: word(UNEXPECTED_ERRORS),
    pod: text.optional(),
    pods: figure.optional(),
    node: text.optional(),
    group: text.optional(),
    rule: text.optional(),
    object: text.optional(),
    message: text,
  }),
  z.custom<UnexpectedError>(),
  { decode: (error) => ({ ...error, stack: '' }) as UnexpectedError, encode: (error) => error },
);

const recordedGroup = closed({
  min: figure.optional(),
  max: figure.optional(),
  template: closed({ instanceType: text.nullable().default(null), cpu: figure, memory: figure }).optional(),
  cannotGrow: closed({ reason: word(WHY_GROUP_SKIPPED), message: text.optional() }).optional(),
  nodes: many(text).optional(),
});

/** The decision of one evaluation, as a document. */
export const decisionDocument = closed({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Decision'),
  metadata: closed({ name: text }),
  evaluation: z
    .enum(['ScaleUp', 'ScaleDown'])
    .optional()
    .describe(
      'which part of the evaluation this is, where each is decided by itself; the other part is `NotEvaluated`',
    ),
  scaleUp,
  scaleDown,
  registry: registry.describe(
    'the cluster as observed, before this decision: whether it is healthy, its nodes by their classes in `totals` and by group, and `repairs` of what is broken ([cluster-state.md](cluster-state.md))',
  ),
  state: state.describe('what to remember, after this decision'),
  departures: many(closed({ node: text, group: text, notice: z.enum(NOTICE_KINDS), deadline: time }))
    .optional()
    .describe(
      'only where there are any: nodes that are removed now, because the cloud ends their instances or recommends to replace them ([notices](interruption-handling.md)): `{node, group, notice, deadline}`. Their pods are planned for elsewhere',
    ),
  notices: many(
    closed({
      instance: text,
      node: text.nullable(),
      group: text,
      notice: z.enum(NOTICE_KINDS),
      receivedAt: time,
      endsAt: time.nullable(),
      answer: z.enum(NOTICE_ANSWERS),
      until: time.nullable(),
    }),
  )
    .optional()
    .describe(
      'only where there are any: what the cloud has announced about instances of the node groups, and what is done for it, until when ([reasons](reasons.md#what-is-done-for-a-notice)): `{instance, node, group, notice, receivedAt, endsAt, answer, until}`',
    ),
  pauses: many(pause)
    .optional()
    .describe(
      'only where there are any: the [pauses](pause.md) in force, `{part, group, until, cancelDrains, source}`',
    ),
  fit: many(closed({ pod: text, nodes: recordTable(text) }))
    .optional()
    .describe('with `--fit`: pod, and for each node `ok` or the kube-scheduler plugin that rejects it'),
  unexpectedErrors: many(unexpectedError)
    .optional()
    .describe(
      'only if there were any: bugs, each isolated to the object that it concerns ([decision 15](decisions/0015-unexpected-errors-stay-where-they-are.md)): `{during, pod, pods, node, group, rule, object, message}`, with `during` one of `Registry`, `ScaleUp`, `ScaleDown`, `Fit`',
    ),
  omitted: many(text)
    .optional()
    .describe('only in a stored decision that was too large to keep whole: what was left out, in words'),
  nodeGroups: recordTable(recordedGroup)
    .optional()
    .describe(
      'only in a stored decision: of each node group `{min, max, template: {instanceType, cpu, memory}, nodes}`, `cpu` in milli-CPU and `memory` in bytes; and `cannotGrow: {reason, message}` where the group cannot grow whatever pods there are. A decision of scale-up alone has no `nodes`, and one of scale-down nothing else',
    ),
});

export const decision: z.ZodType<Decision> = z.codec(decisionDocument, z.custom<Decision>(), {
  decode: ({ metadata, ...decided }) =>
    Object.fromEntries(
      Object.entries({ name: metadata.name, ...decided }).filter(
        ([field]) => field !== 'apiVersion' && field !== 'kind',
      ),
    ) as unknown as Decision,
  encode: ({ name, ...decided }) =>
    ({ apiVersion: API_VERSION, kind: 'Decision', metadata: { name }, ...decided }) as never,
});
