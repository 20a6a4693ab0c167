import * as z from 'zod';
import type { GroupName, InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import { DISRUPTION_REASONS } from '@outrigger/core/model/disruption.ts';
import type { State, Shortage } from '@outrigger/core/model/state.ts';
import { STORED_HEALTH_PROBLEMS } from '@outrigger/core/model/health-problem.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { closed, list, recordTable } from './document.ts';
import { type Form, IN_DOCUMENTS } from './form.ts';
import { FORMER_FIELDS, FORMER_VALUES } from './former-names.ts';
import { choice, choiceWithFormer } from './names.ts';

/** The subject of a part of the state. */
export type PartSubject = 'cluster' | 'group' | 'node' | 'instance' | 'pod' | 'shortage';

interface PartDescription {
  readonly help: string;
}

/** A value for each group, node or instance. */
interface TablePart<K extends string, V> extends PartDescription {
  readonly kind: 'table';
  readonly about: 'group' | 'node' | 'instance';
  readonly value: (form: Form) => z.ZodType<V>;
  readonly name?: K;
}

/** Entries that contain their subject. */
interface ListPart<V> extends PartDescription {
  readonly kind: 'list';
  readonly about: Exclude<PartSubject, 'cluster'>;
  readonly value: (form: Form) => z.ZodType<V>;
}

/** A time of the whole cluster; `null` before the first. */
interface TimePart extends PartDescription {
  readonly kind: 'time';
  readonly about: 'cluster';
}

/** The same, absent before there is one. */
interface OptionalTimePart extends PartDescription {
  readonly kind: 'optionalTime';
  readonly about: 'cluster';
}

/** A short list of the whole cluster, absent where it is empty. It is stored whole, beside the times. */
interface OptionalListPart<V> extends PartDescription {
  readonly kind: 'optionalList';
  readonly about: 'cluster';
  readonly value: (form: Form) => z.ZodType<V>;
}

export type StatePart =
  | TablePart<string, unknown>
  | ListPart<unknown>
  | TimePart
  | OptionalTimePart
  | OptionalListPart<unknown>;

/** The type of a part. */
type ValueOf<P> =
  P extends TablePart<infer K, infer V>
    ? Readonly<Record<K, V>>
    : P extends ListPart<infer V>
      ? readonly V[]
      : P extends OptionalListPart<infer V>
        ? readonly V[] | undefined
        : P extends OptionalTimePart
          ? EpochMs | undefined
          : EpochMs | null;

type Value<V> = (form: Form) => z.ZodType<V>;

const tableBy =
  <K extends string>(about: TablePart<K, unknown>['about']) =>
  <V>(help: string, value: Value<V>): TablePart<K, V> => ({ kind: 'table', about, help, value });
const byGroup = tableBy<GroupName>('group');
const byNode = tableBy<NodeName>('node');
const byInstance = tableBy<InstanceId>('instance');
const entries = <V>(about: ListPart<V>['about'], help: string, value: Value<V>): ListPart<V> => ({
  kind: 'list',
  about,
  help,
  value,
});
const optionalEntries = <V>(help: string, value: Value<V>): OptionalListPart<V> => ({
  kind: 'optionalList',
  about: 'cluster',
  help,
  value,
});
const timeOf = (help: string): TimePart => ({ kind: 'time', about: 'cluster', help });
const optionalTimeOf = (help: string): OptionalTimePart => ({ kind: 'optionalTime', about: 'cluster', help });

const times = ({ timeOrNull, object }: Form) =>
  object({ lastScaleUp: timeOrNull, lastScaleDownDelete: timeOrNull, lastScaleDownFailure: timeOrNull });

const reservedPlaces = ({ text, count, list: listOf, object }: Form) => listOf(object({ kind: text, count }));

/** The parts of a state, in the order in which they are written. */
export const STATE_PARTS = {
  unneededSince: byNode('node: time', ({ time }) => time),
  unregisteredSince: byInstance('instance: time', ({ time }) => time),
  backoff: byGroup('group: `{until, duration, lastFailure, class}`', ({ time, duration, failureClass, object }) =>
    object({ until: time, duration, lastFailure: time, class: failureClass }),
  ),
  scaleUpRequests: entries('group', '`{group, increase, time, expectedAddTime}`', ({ group, count, time, object }) =>
    object({ group, increase: count, time, expectedAddTime: time }),
  ),
  deletionsInProgress: entries(
    'node',
    '`{node, group, kind, since}`, `kind` being `empty` or `drain`',
    ({ node, group, time, object }) => object({ node, group, kind: choice(['empty', 'drain']), since: time }),
  ),
  scaleDownRequests: entries('node', '`{group, node, time, expectedDeleteTime}`', ({ group, node, time, object }) =>
    object({ group, node, time, expectedDeleteTime: time }),
  ),
  disruptions: optionalEntries(
    'nodes that are removed once their replacement is ready ([disruption](disruption.md)): `{nodes, reason, replacement, maxCost, basis, saving, moves, since, deadline}`; absent where there are none',
    ({ node, group, figure, count, time, list: listOf, object }) =>
      object({
        nodes: listOf(node),
        reason: choice(DISRUPTION_REASONS),
        replacement: group.nullable().default(null),
        maxCost: figure,
        basis: choice(['price', 'size']),
        saving: figure,
        moves: count,
        since: time,
        deadline: time,
      }),
  ),
  unneededTimes: optionalEntries(
    'what `scaleDownUnneededTime: auto` has learned of node groups: `{group, time, boot, removals, relaunched, watched}`; absent where nothing is',
    ({ group, duration, count, node, time, list: listOf, object }) =>
      object(
        {
          group,
          time: duration,
          boot: duration.nullable().default(null),
          removals: count,
          relaunched: count,
          watched: listOf(object({ node, at: time })),
        },
        FORMER_FIELDS.unneededTime,
      ),
  ),
  consolidationMoves: optionalEntries(
    'pods that consolidation has moved within a day ([consolidation](consolidation.md)), by controller and hour: `{controller, first, last, pods}`; absent where there are none',
    ({ text, count, time, object }) =>
      object({ controller: text, first: time, last: time, pods: count }, FORMER_FIELDS.consolidationMoves),
  ),
  unremovableUntil: byNode('node: time', ({ time }) => time),
  recentEvictions: entries('pod', 'Pods that were evicted lately and may still need a new place', ({ pod }) => pod),
  reservations: byGroup(
    'group: `{kind, count, existing}`. `count` is the capacity that is reserved for pods of a kind, and `existing` the number of such pods on nodes of the group',
    ({ text, count, list: listOf, object }) =>
      listOf(object({ kind: text, count, existing: count.optional() }, FORMER_FIELDS.reservation)),
  ),
  reservedPacking: byGroup(
    'group: `{nodes}`: the pods of each node, if packing would not find the same places again',
    (form) => form.object({ nodes: form.list(reservedPlaces(form)) }, FORMER_FIELDS.reservedPacking),
  ),
  lastEvaluation: timeOf('time'),
  lastScaleUpEvaluation: optionalTimeOf('time; only where scale-up is an evaluation of its own'),
  lastNotification: optionalTimeOf('time of the latest webhook notification; absent before the first'),
  deferredPods: optionalEntries(
    'pods that the last evaluation of scale-up had no time for, as `namespace/name`; absent where there are none',
    ({ text }) => text,
  ),
  pausedSince: optionalTimeOf('time since which a [pause](pause.md) without an end is in force; absent where none is'),
  pausesInForce: optionalEntries(
    'pauses in force, each as its node group, part, source and end; absent where there are none',
    ({ text }) => text,
  ),
  problems: optionalEntries(
    'what an alarm was raised about ([reasons](reasons.md#what-is-wrong-with-the-cluster)): `{kind, since, about, pods}`; absent where there is nothing',
    ({ text, count, time, object }) =>
      object({
        kind: choiceWithFormer(STORED_HEALTH_PROBLEMS, FORMER_VALUES.problemKind),
        since: time,
        about: text,
        pods: count,
      }),
  ),
  monthCosts: optionalEntries(
    'what the nodes have cost in this month and the one before ([node cost](node-cost.md)): `{month, usd, hours, unpricedHours, at, usdPerHour, unpriced}`, `usd` until `at`, and their rate since then; absent before a price is known',
    ({ time, figure, count, object }) =>
      object({
        month: time,
        usd: figure,
        hours: figure,
        unpricedHours: figure,
        at: time,
        usdPerHour: figure,
        unpriced: count,
      }),
  ),
  incorrectSize: byGroup('group: `{current, expected, firstObserved}`', ({ count, time, object }) =>
    object({ current: count, expected: count, firstObserved: time }),
  ),
  seenSizes: byGroup('group: size that the latest stored evaluation of scale-up observed', ({ count }) => count),
  seenErrors: byGroup('group: instances whose errors were acted on', ({ instances }) => instances),
  shortages: entries(
    'shortage',
    '`{type, zone, capacityType, until, lastResort}`; `lastResort`, where instances were interrupted and no launch has failed: it is launched where nothing else helps',
    ({ text, time, object }) =>
      object({
        type: text,
        zone: text,
        capacityType: text,
        until: time,
        lastResort: z.literal(true).optional(),
      }) as z.ZodType<Shortage>,
  ),
  repairBackoff: byGroup('group: time before which no repair of it is tried again', ({ time }) => time),
  lastScaleUp: timeOf('time'),
  lastScaleDownDelete: timeOf('time'),
  lastScaleDownFailure: timeOf('time'),
  groups: byGroup('group: `{lastScaleUp, lastScaleDownDelete, lastScaleDownFailure}`, times', times),
} as const satisfies Readonly<Record<keyof State, StatePart>>;

/** The state as described by these parts; a test compares it with the core's. */
export type DescribedState = { readonly [P in keyof State]: ValueOf<(typeof STATE_PARTS)[P]> };

export const stateParts = Object.entries(STATE_PARTS) as readonly (readonly [keyof State, StatePart])[];

/**
 * The order in which parts of the state are left out where not all fits the table: parts that are stored elsewhere or
 * are computed again (drains contain the evictions, reservations are hints), then timers, then operations in progress.
 * Only the first few grow with users' texts.
 */
export const EXPENDABLE_PARTS: readonly (keyof State)[] = [
  'recentEvictions',
  'reservedPacking',
  'reservations',
  'seenErrors',
  'shortages',
  'unremovableUntil',
  'incorrectSize',
  'seenSizes',
  'repairBackoff',
  'unneededSince',
  'groups',
  'unregisteredSince',
  'scaleDownRequests',
  'backoff',
  'scaleUpRequests',
  'deletionsInProgress',
];

/** The schema of a part in one form; an absent part is empty. */
export function partIn(form: Form, part: StatePart): z.ZodType {
  switch (part.kind) {
    case 'table':
      return recordTable(part.value(form)).default({});
    case 'list':
      return list(part.value(form));
    case 'time':
      return form.time.nullable().default(null);
    case 'optionalTime':
      return form.time.optional();
    case 'optionalList':
      return form.list(part.value(form)).optional();
  }
}

/** The state of a scenario, and of a decision. */
export const state = closed(
  Object.fromEntries(stateParts.map(([name, part]) => [name, partIn(IN_DOCUMENTS, part).describe(part.help)])),
  FORMER_FIELDS.state,
) as unknown as z.ZodType<State>;
