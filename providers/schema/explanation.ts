import * as z from 'zod';
import { DISRUPTION_REASONS } from '@outrigger/core/model/disruption.ts';
import { NOTICE_ANSWERS, NOTICE_KINDS } from '@outrigger/core/model/notice.ts';
import { PAUSE_SOURCES, PAUSED_PARTS } from '@outrigger/core/model/pause.ts';
import { DISRUPTION_STATES, WHY_DISRUPTION_CANCELLED } from '@outrigger/core/words/disruption.ts';
import { DRAIN_PHASES } from '@outrigger/core/words/drain.ts';
import { HEADROOM_SOURCES } from '@outrigger/core/model/headroom.ts';
import { POD_OUTCOMES, SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from '@outrigger/core/words/outcomes.ts';
import { CLOUD_ACTION_WORDS } from '@outrigger/core/words/cloud-actions.ts';
import { WHY_GROUP_SKIPPED } from '@outrigger/core/words/why-group-skipped.ts';
import { WHY_NODE_STAYS } from '@outrigger/core/words/why-node-stays.ts';
import { WHY_POD_BLOCKS } from '@outrigger/core/words/why-pod-blocks.ts';
import type { Words } from '@outrigger/core/words/words.ts';
import { decision as decisionDocument, nodeCounts, nodeUtilization, word } from './decision.ts';
import { closed } from './document.ts';
import { API_VERSION, failureClass } from './names.ts';
import { duration, time } from './time.ts';

// The output of `outrigger status` and `outrigger explain` for programs. Every field is there; `null` is: not known, or
// none.

const text = z.string();
const figure = z.number();
const maybe = <T extends z.ZodType>(schema: T) => schema.nullable().default(null);
const many = <T extends z.ZodType>(item: T) => z.array(item);
const document = <K extends string, S extends z.core.$ZodLooseShape>(kind: K, fields: S) =>
  closed({ apiVersion: z.literal(API_VERSION), kind: z.literal(kind), ...fields });
const change = closed({ from: figure, to: figure });

const drain = closed({
  node: text,
  group: text,
  kind: z.enum(['empty', 'drain']),
  phase: word(DRAIN_PHASES),
  doing: text,
  since: time,
  phaseSince: time,
  waitsFor: maybe(text),
  pods: closed({ asked: figure, gone: figure }),
  refused: many(closed({ pod: text, refusal: text })),
  outcome: maybe(
    closed({
      kind: z.enum(['removed', 'rolledBack']),
      at: time,
      failure: text.optional(),
      blocker: text.nullable().optional(),
      message: text.optional(),
      pod: text.nullable().optional(),
    }),
  ),
});

const monthToDate = closed({
  usdPerHour: figure.describe('now'),
  usd: figure.describe('this month, by UTC'),
  forecast: figure.describe(
    'of the whole month: hours that are not known, past and to come, cost as much as the others in the mean',
  ),
  meanUsdPerHour: figure,
  hours: figure.describe('since the beginning of the month'),
  knownHours: figure.describe('hours of the month that `usd` is of'),
  unpriced: figure.describe('nodes without a known price, which are in no other figure'),
  unpricedHours: figure.describe('hours of such nodes this month'),
});

const notice = closed({
  instance: text,
  node: maybe(text),
  group: text,
  notice: z.enum(NOTICE_KINDS),
  receivedAt: time,
  endsAt: maybe(time),
  answer: maybe(z.enum(NOTICE_ANSWERS)).describe('`null`: no evaluation has seen it yet'),
  until: maybe(time),
  meaning: text,
  advice: maybe(text),
});

const pause = closed({
  part: z.enum(PAUSED_PARTS),
  group: maybe(text).describe('`null`: the whole cluster'),
  until: maybe(time).describe('`null`: it does not end by itself'),
  cancelDrains: z.boolean(),
  source: z.enum(PAUSE_SOURCES),
  text,
});

const disruption = closed({
  nodes: many(text),
  groups: many(text).describe('the node groups of these nodes, as far as they were recorded'),
  reason: z.enum(DISRUPTION_REASONS),
  state: word(DISRUPTION_STATES),
  cancelled: maybe(word(WHY_DISRUPTION_CANCELLED)),
  cause: maybe(text).describe('what is wrong with the nodes'),
  replacement: maybe(text).describe('the node group that the new nodes are of'),
  basis: z.enum(['price', 'size']).describe('what `saving` is in: USD per hour, or size at reference prices'),
  saving: figure,
  moves: figure.describe('the number of pods that move'),
  since: time,
  deadline: time.describe('when it is canceled, unless the new node is ready'),
  message: maybe(text).describe('what it waits for, or is held by, or why it was canceled'),
  leftAloneUntil: maybe(time).describe('of one that was canceled: its nodes are not tried again before'),
  meaning: text,
  advice: maybe(text),
});

const shortage = closed({
  type: text,
  zone: text,
  capacityType: text,
  until: time,
  lastResort: z.literal(true).optional(),
  interrupted: maybe(closed({ group: text, at: time })),
});

const headroom = closed({
  source: z.enum(HEADROOM_SOURCES),
  name: text.describe('of a capacity schedule its short form, with its time zone; of the others namespace and name'),
  group: maybe(text).describe('the node group of a capacity schedule'),
  unit: z.enum(['nodes', 'pods']).describe('what the numbers are of'),
  requested: figure,
  existing: figure.describe('on existing nodes'),
  upcoming: figure.describe('on upcoming nodes, and nodes that are requested now'),
  missing: figure.describe('what will not exist, as things stand'),
  why: maybe(text).describe('why something is missing, or less is asked for than was written'),
  until: maybe(text).describe('when a capacity schedule ends, on the clock of its time zone'),
  advice: maybe(text),
  text,
});

const group = {
  group: text,
  decidedAt: maybe(time).describe('when scale-up was decided last, as far as that was stored'),
  min: maybe(figure),
  max: maybe(figure),
  target: figure.describe('the size that AWS was asked for'),
  upcoming: figure.describe('upcoming nodes before that decision'),
  healthy: z.boolean(),
  nodes: closed(nodeCounts),
  incorrectSize: maybe(closed({ current: figure, expected: figure, firstObserved: time })),
  warnings: many(word(CLOUD_ACTION_WORDS)),
  resizedByOthers: maybe(closed({ from: figure, to: figure })).describe(
    'the change that another client has made to the size that was set last',
  ),
  scheduledMinimum: maybe(closed({ nodes: figure, by: text, until: maybe(text) })).describe(
    'what a capacity schedule asks for now',
  ),
  zonalShifts: many(closed({ zone: text, until: maybe(time), launches: z.boolean() })).describe(
    'zones that traffic is shifted away from: no node of it is launched or removed there',
  ),
  headroom: many(headroom).describe('the minimum of its capacity schedule, and headroom that the group cannot hold'),
  template: maybe(closed({ instanceType: maybe(text), cpu: figure, memory: figure })).describe(
    'what a new node has for pods, in milli-CPU and bytes',
  ),
  backoff: maybe(closed({ class: failureClass, until: time, lastFailure: time, why: text, meaning: text })),
  skipped: maybe(closed({ reason: word(WHY_GROUP_SKIPPED), why: text, meaning: text, advice: maybe(text) })),
  increase: maybe(change),
  repairs: many(text),
  pending: many(text).describe('decided changes that are not carried out yet'),
  request: maybe(closed({ increase: figure, since: time, expectedBy: time })),
  lastScaleUp: maybe(time),
  lastScaleDown: maybe(time),
  lastScaleDownFailure: maybe(time),
  unneededTime: maybe(closed({ time: duration, boot: maybe(duration), removals: figure, relaunched: figure })).describe(
    'what `scaleDownUnneededTime: auto` has learned of it',
  ),
  similarGroups: many(text),
  unbalanced: many(closed({ group: text, reason: text })),
  budgets: many(text).describe('the disruption budgets in force that are about its nodes'),
  disruptions: many(disruption).describe('that remove nodes of the group, or add a node to it'),
  notices: many(notice).describe('what AWS has announced about its instances'),
  shortages: many(shortage).describe('where its instance type is not launched for a while'),
  members: maybe(many(text)),
};

const part = <T extends string>(results: Readonly<Record<T, Words>>) =>
  closed({
    decidedAt: maybe(time),
    result: maybe(word(results)),
    meaning: maybe(text),
    message: maybe(text),
    lastChange: maybe(time),
  });

/** `outrigger status -o json`. */
export const statusDocument = document('Status', {
  cluster: text,
  mode: z.enum(['act', 'observe']),
  at: time.describe('when it was asked'),
  scaleUp: part(SCALE_UP_RESULTS),
  scaleDown: part(SCALE_DOWN_RESULTS),
  healthy: maybe(z.boolean()),
  nodes: maybe(closed(nodeCounts)),
  cost: maybe(monthToDate).describe(
    'what the nodes cost, in USD ([node cost](node-cost.md)); `null`: no price is known',
  ),
  groups: many(closed(group)),
  pods: many(
    closed({
      outcome: word(POD_OUTCOMES),
      group: maybe(text),
      reasons: many(text),
      details: many(text).describe('what new nodes lack for the pods, with numbers'),
      pods: many(text),
    }),
  ).describe('pods of the last decision of scale-up, by outcome, reasons and details'),
  unneeded: many(
    closed({
      node: text,
      group: maybe(text),
      since: maybe(time),
      utilization: maybe(nodeUtilization),
      why: maybe(text),
    }),
  ),
  drains: many(drain),
  disruptions: many(disruption).describe(
    'nodes that wait for their replacement, and other results of the last decision',
  ),
  headroom: many(headroom).describe('room that is asked for ahead of the pods that will need it'),
  budgets: many(closed({ group: maybe(text), text })).describe(
    "disruption budgets in force; `group` is `null` for the cluster's",
  ),
  notices: many(notice).describe('what AWS has announced about instances'),
  shortages: many(shortage).describe('instance types that are not launched in a zone for a while'),
  pauses: many(pause).describe('what is paused ([pause](pause.md))'),
  corrections: many(closed({ reason: text, about: maybe(text), what: text, advice: maybe(text) })).describe(
    'what stays wrong until it is corrected',
  ),
  omitted: many(text).describe('what the last decisions lack, as they were too large to be stored whole'),
});

/** `outrigger pause -o json`, and `outrigger resume -o json`. */
export const pausesDocument = document('Pauses', {
  cluster: text,
  at: time.describe('when it was asked'),
  pauses: many(pause).describe('what is paused after that, in the table'),
});

/** `outrigger planned-placement -o json`. */
export const plannedPlacementDocument = document('PlannedPlacement', {
  cluster: text,
  at: time.describe('when it was asked'),
  changed: z.boolean().describe('`false`: the changes are planned only'),
  groups: many(
    closed({
      group: text,
      tainted: maybe(z.boolean()).describe(
        'whether new nodes got the taint before; `null`: the group could not be read',
      ),
      changes: many(text),
      problem: maybe(text).describe('why the group is left as it is'),
      error: maybe(text).describe('why its changes have failed'),
    }),
  ),
});

/** `outrigger explain pod -o json`. */
export const podExplanationDocument = document('PodExplanation', {
  pod: text,
  decidedAt: maybe(time).describe('when scale-up was decided last'),
  scaleDownDecidedAt: maybe(time),
  scaleUp: maybe(
    closed({
      outcome: word(POD_OUTCOMES),
      meaning: text,
      advice: maybe(text),
      group: maybe(text),
      increase: maybe(change),
      reasons: many(closed({ reason: text, groups: many(text) })),
      lacking: many(closed({ groups: many(text), unmet: many(text) })).describe(
        'what new nodes of the groups lack, with numbers, the nearest groups first',
      ),
      nearest: maybe(closed({ group: text, remedy: text })).describe(
        'the group with the fewest unmet requirements, and what would meet them',
      ),
    }),
  ).describe('as a pod without a node; `null` where the last decision does not mention it'),
  keeps: many(closed({ node: text, reason: word(WHY_NODE_STAYS), why: text, advice: maybe(text) })),
  movesFrom: many(closed({ node: text, group: text })),
  evictions: many(
    closed({
      node: text,
      firstTriedAt: time,
      evictedAt: maybe(time),
      goneAt: maybe(time),
      tries: figure,
      refusal: maybe(text),
    }),
  ),
});

/** `outrigger explain node -o json`. */
export const nodeExplanationDocument = document('NodeExplanation', {
  node: text,
  group: maybe(text),
  decidedAt: maybe(time).describe('when scale-down was decided last'),
  result: maybe(word(SCALE_DOWN_RESULTS)),
  message: maybe(text),
  unneededSince: maybe(time),
  utilization: maybe(nodeUtilization).describe(
    'of an unneeded node: the shares that its pods request, and the threshold',
  ),
  removal: maybe(closed({ kind: z.enum(['empty', 'drain']), pods: many(text) })),
  unremovable: maybe(
    closed({
      reason: word(WHY_NODE_STAYS),
      why: text,
      meaning: text,
      advice: maybe(text),
      pod: maybe(text),
      podReason: maybe(word(WHY_POD_BLOCKS)),
      until: maybe(time).describe('not checked again before'),
    }),
  ),
  drain: maybe(drain),
  notice: maybe(notice).describe('what AWS has announced about its instance'),
  disruption: maybe(disruption).describe('how it is replaced, or was to be'),
});

/** `outrigger explain group -o json`. */
export const groupExplanationDocument = document('GroupExplanation', {
  ...group,
});

const evaluationPart = z.enum(['scale-up', 'scale-down', 'evaluation']);

/** `outrigger explain … --since -o json`. */
export const timelineDocument = document('Timeline', {
  subject: z.enum(['pod', 'node', 'group']),
  name: text,
  since: time,
  at: time.describe('when it was asked'),
  decisions: figure.describe('the number of decisions that were looked at'),
  periods: many(
    closed({
      part: evaluationPart,
      from: time.describe('of the decision that said it first; it may be earlier than `since`'),
      until: maybe(time).describe('when a decision said something else; `null` where none has yet'),
      what: text,
      why: many(text),
      decisions: many(text),
    }),
  ),
});

const entry = {
  id: text,
  at: time,
  kind: evaluationPart,
  changes: z.boolean().describe('whether it orders something'),
  did: text,
};

/** `outrigger history -o json`. */
export const historyDocument = document('History', {
  cluster: text,
  mode: z.enum(['act', 'observe']),
  at: time.describe('when it was asked'),
  decisions: many(closed({ ...entry, scenario: z.enum(['kept', 'too large', 'sampled']) })).describe(
    'the latest first',
  ),
});

/** `outrigger replay -o json`. */
export const replayDocument = document('Replay', {
  id: maybe(text).describe('`null` of a scenario in a file'),
  name: text,
  at: time.describe('the time of the decision'),
  part: evaluationPart,
  sameBytes: maybe(z.boolean()).describe(
    'whether this version decides the same from it, byte for byte; `null` of a scenario in a file',
  ),
  set: z.record(z.string(), z.unknown()).describe('the options that were set'),
  decided: text,
  wouldBe: text,
  differences: many(
    closed({
      about: z.enum(['scale-up', 'scale-down', 'cost', 'node group', 'repair', 'node', 'pod']),
      names: many(text),
      decided: maybe(text),
      wouldBe: maybe(text),
    }),
  ),
  decision: decisionDocument.describe('the decision that would be made'),
});

const percentile = maybe(closed({ p50: figure, p95: figure, max: figure }));
const totals = closed({
  pendingToSize: percentile.describe(
    'seconds from the rejection of a pod by kube-scheduler until a size was set for it',
  ),
  nodesAdded: figure,
  nodesRemoved: figure,
  nodeHours: figure,
  usd: maybe(figure).describe('of the node groups with a known price'),
});
const sizes = many(closed({ group: text, from: figure, to: figure }));
const exact = z.boolean().describe('whether the time is that of an event; otherwise an evaluation saw it');

/** `outrigger compare -o json`. */
export const comparisonDocument = document('Comparison', {
  cluster: text,
  other: text.describe('the autoscaler that acts, if known from its events or its status'),
  otherStatus: maybe(text),
  since: time,
  until: time,
  decisions: figure.describe('the number of decisions that were compared'),
  outrigger: totals,
  acting: totals,
  scaleUps: many(
    closed({
      pods: many(text),
      outrigger: maybe(closed({ at: time, sizes })).describe('`null`: Outrigger saw no need'),
      acting: maybe(closed({ at: time, sizes, exact })).describe('`null`: the other set no size'),
    }),
  ),
  removals: many(
    closed({
      node: text,
      group: text,
      by: z.enum(['both', 'outrigger', 'acting']),
      outriggerAt: maybe(time),
      acting: maybe(closed({ at: time, exact })),
      safe: maybe(z.boolean()).describe('by the rules of Outrigger; `null`: no decision says so'),
      why: text,
    }),
  ),
  groups: many(
    closed({
      group: maybe(text).describe('`null`: the nodes of no node group'),
      price: maybe(figure).describe('USD per hour of a node'),
      nodeHours: closed({ outrigger: figure, acting: figure }),
    }),
  ),
});

const backtestFigures = closed({
  usd: maybe(figure).describe('of the node groups with a known price'),
  nodeHours: figure,
  cpuHours: figure.describe('the CPU of the nodes times hours: the same for a large node and for several small ones'),
  nodesLaunched: figure,
  nodesGone: figure,
  nodesMost: figure.describe('at a time'),
  waited: figure.describe('pods that kube-scheduler found no node for at first'),
  waits: percentile.describe('seconds until they ran'),
  evictions: maybe(figure).describe('`null` of the history in files, which have no decisions'),
  evictionsOfJobs: maybe(figure),
  lostCoreHours: maybe(figure).describe('requested CPU of evicted pods of Jobs, for the time that they had run'),
});
const differing = closed({ nodeHours: maybe(figure), cpuHours: maybe(figure), usd: maybe(figure) });

const observedPeriod = {
  cluster: maybe(text).describe('`null` of files'),
  since: time.describe('of the first scenario'),
  until: time.describe('of the last scenario'),
  coverage: closed({
    wantedSeconds: figure,
    coveredSeconds: figure.describe('from the first to the last scenario'),
    scenarios: figure.describe('decisions with what they were made from'),
    withoutScenario: figure.describe('decisions without'),
    longestGapSeconds: figure.describe('between two scenarios'),
  }),
};

/** `outrigger backtest -o json`. */
export const backtestDocument = document('Backtest', {
  ...observedPeriod,
  peer: maybe(z.enum(['cluster-autoscaler', 'karpenter'])).describe(
    'the autoscaler whose rules the other run follows; `null`: Outrigger',
  ),
  set: z.record(z.string(), z.unknown()).describe('the options that were set'),
  history: backtestFigures.describe('what the history says'),
  base: backtestFigures.describe('the run with the options of the history'),
  other: maybe(backtestFigures).describe(
    'the run by the rules of `peer`, with the options of `set`; `null` where neither is given',
  ),
  baseBesideHistory: differing.describe('by how much the base run differs from the history: 0.02 is 2 % more'),
  otherBesideBase: maybe(differing).describe('by how much the other run differs from the base run'),
  groups: many(
    closed({
      group: text,
      price: maybe(figure).describe('USD per hour of a node'),
      nodeHours: closed({ history: figure, base: figure, other: maybe(figure) }),
    }),
  ),
  interruptions: figure.describe('instances that the cloud took back, in each run'),
  notes: many(text).describe('what the figures do not show'),
});

/** `outrigger node-cost -o json`. */
export const nodeCostDocument = document('NodeCost', {
  ...observedPeriod,
  by: text.describe('whose cost the rows are: `namespace`, `node-group`, `node` or `label=KEY`'),
  usd: figure.describe('the cost of all nodes with a known price'),
  idle: figure.describe('the part of it that no pod requested but those of DaemonSets'),
  usdPerMonth: figure.describe('the cost of 730 hours at the rate of the period'),
  month: maybe(monthToDate).describe(
    'the sums that evaluations keep, as `outrigger status` shows them; `null`: none are kept',
  ),
  nodeHours: figure,
  unpricedHours: figure.describe('of nodes without a known price'),
  rows: many(
    closed({
      name: text,
      usd: figure,
      idle: figure.describe(
        'the part of it that no pod requested; 0 in rows of pods, whose idle part is the `idle` of the whole',
      ),
    }),
  ),
});

const runMeans = {
  usd: figure,
  usdPerMonth: figure.describe('the cost of 730 hours at the rate of the period'),
  nodeHours: figure,
  nodesMost: figure.describe('at a time'),
  waitP95: maybe(figure).describe('seconds; `null`: no pod waited'),
  evictions: figure,
};
const cpuAndMemory = closed({ cpu: figure.describe('thousandths of a core'), memory: figure.describe('bytes') });

/** `outrigger advise -o json`. */
export const adviceDocument = document('Advice', {
  ...observedPeriod,
  seeds: many(figure).describe('of the further simulations of each layout'),
  today: closed(runMeans).describe('means over the simulations of the node groups as they are'),
  estimated: figure.describe('layouts whose cost was estimated'),
  simulated: figure.describe('the best of these, simulated once'),
  layouts: many(
    closed({
      changes: many(
        closed({
          groups: many(text).describe('node groups that are the same for pods'),
          from: many(text).describe('their instance types'),
          to: many(text).describe('the instance types in the layout'),
        }),
      ),
      estimatedSaving: figure.describe('part of the estimated cost: 0.1 is 10 %'),
      ...runMeans,
      saving: closed({ mean: figure, low: figure, high: figure }).describe(
        'part of the cost of the node groups as they are, with the bounds of its 95 % interval',
      ),
      verdict: z
        .enum(['saves', 'unclear', 'dearer', 'idle'])
        .describe(
          'by the interval; `idle`: it saves at list price, and capacity that is paid for in any case is unused',
        ),
    }),
  ).describe('layouts that were cheaper in their first simulation; the one that saves most comes first'),
  workloads: many(
    closed({
      namespace: text,
      kind: text,
      names: many(text).describe('of controllers of this kind whose pods request the same'),
      requests: cpuAndMemory.describe('of a pod'),
      instanceType: text,
      share: figure.describe('part of a node that a pod requests'),
      unusedUsd: figure.describe('the cost of the capacity that no pod requested, in the period'),
      toFitTwo: cpuAndMemory.describe('requests of which two pods fit on a node'),
    }),
  ).describe('workloads of which no two pods fit on one node; the dearest first'),
  notes: many(text).describe('what the figures do not show'),
});

const DOCUMENTS = {
  Advice: adviceDocument,
  Backtest: backtestDocument,
  NodeCost: nodeCostDocument,
  Pauses: pausesDocument,
  PlannedPlacement: plannedPlacementDocument,
  Timeline: timelineDocument,
  History: historyDocument,
  Comparison: comparisonDocument,
  Replay: replayDocument,
  Status: statusDocument,
  PodExplanation: podExplanationDocument,
  NodeExplanation: nodeExplanationDocument,
  GroupExplanation: groupExplanationDocument,
} as const;

/** A status or an explanation as data for JSON. */
export const writeExplanation = (kind: keyof typeof DOCUMENTS, explanation: object): unknown =>
  z.encode(DOCUMENTS[kind] as z.ZodType, { apiVersion: API_VERSION, kind, ...explanation });
