import * as z from 'zod';
import { byName } from '../../core/model/names.ts';
import { keyOf } from '../../core/model/pod.ts';
import { sortedRecord } from '../../core/model/sorted.ts';
import type { State } from '../../core/model/state.ts';
import { ROW_KINDS, type RowKind } from './keys.ts';
import { pod } from './schema/pod.ts';
import { time } from './schema/scalars.ts';
import {
  backoff,
  deletionInProgress,
  groupPacking,
  groupTimes,
  incorrectSize,
  promisedPlaces,
  scaleDownRequest,
  scaleUpRequest,
  seenErrors,
  shortage,
} from './schema/state.ts';

/** What the state remembers about one thing: its share of each part of the state that has something about it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of one kind by the name of what they are about: a group, a node, an instance … */
export type Rows = ReadonlyMap<string, Row>;

export type RowsByKind = Readonly<Record<RowKind, Rows>>;

/** What is about the cluster as a whole: it is written with every commit. */
export const CLUSTER_PARTS = [
  'lastEvaluation',
  'lastScaleUpEvaluation',
  'lastScaleUp',
  'lastScaleDownDelete',
  'lastScaleDownFailure',
] as const satisfies readonly (keyof State)[];

type RowPart = Exclude<keyof State, (typeof CLUSTER_PARTS)[number]>;

/** How one part of the state is spread over rows. */
interface Part<Value> {
  readonly kind: RowKind;
  /** Of the share that one row has. */
  readonly schema: z.ZodType;
  split(value: Value): Iterable<readonly [name: string, share: unknown]>;
  /** The other way, sorted by name. Shares have been through the schema. */
  join(shares: ReadonlyMap<string, unknown>): Value;
}

const record = <T>(kind: RowKind, schema: z.ZodType<T>): Part<Readonly<Record<string, T>>> => ({
  kind,
  schema,
  split: (value) => Object.entries(value),
  join: (shares) => sortedRecord(shares as ReadonlyMap<string, T>),
});

/** A list of entries that name what they are about, several perhaps the same: those keep their order. */
const list = <T>(kind: RowKind, entry: z.ZodType<T>, nameOf: (entry: T) => string): Part<readonly T[]> => ({
  kind,
  schema: z.array(entry),
  split: (value) => Map.groupBy(value, nameOf),
  join: (shares) =>
    [...(shares as ReadonlyMap<string, readonly T[]>)]
      .sort(([a], [b]) => byName(a, b))
      .flatMap(([, entries]) => entries),
});

/** Every part of the state has its place here or in `CLUSTER_PARTS`; without one it does not compile. */
const PARTS: { readonly [P in RowPart]: Part<State[P]> } = {
  unneededSince: record('NODE', time),
  unremovableUntil: record('NODE', time),
  deletionsInProgress: list('NODE', deletionInProgress, ({ node }) => node),
  scaleDownRequests: list('NODE', scaleDownRequest, ({ node }) => node),
  unregisteredSince: record('INSTANCE', time),
  groups: record('GROUP', groupTimes),
  scaleUpRequests: list('GROUP', scaleUpRequest, ({ group }) => group),
  promised: record('GROUP', promisedPlaces),
  packing: record('GROUP', groupPacking),
  backoff: record('GROUP', backoff),
  repairBackoff: record('GROUP', time),
  incorrectSize: record('GROUP', incorrectSize),
  seenErrors: record('GROUP', seenErrors),
  shortages: list('SHORTAGE', shortage, ({ type, zone, capacityType }) => `${type}/${zone}/${capacityType}`),
  recentEvictions: list('EVICTED', pod, keyOf),
};

const entries = Object.entries(PARTS) as unknown as readonly (readonly [RowPart, Part<unknown>])[];

/** What a row of each kind must look like. A part that is absent has nothing about it. */
export const rowSchemas = Object.fromEntries(
  ROW_KINDS.map((kind) => [
    kind,
    z.looseObject(
      Object.fromEntries(
        entries.flatMap(([part, { kind: of, schema }]) => (of === kind ? [[part, schema.optional()]] : [])),
      ),
    ),
  ]),
) as unknown as Readonly<Record<RowKind, z.ZodType<Row>>>;

/** The rows of a state; what is about the cluster as a whole is in none of them. */
export function rowsOf(state: State): RowsByKind {
  const rows = Object.fromEntries(
    ROW_KINDS.map((kind) => [kind, new Map<string, Record<string, unknown>>()]),
  ) as unknown as Record<RowKind, Map<string, Record<string, unknown>>>;
  for (const [part, spread] of entries) {
    const ofKind = rows[spread.kind];
    for (const [name, share] of spread.split(state[part])) {
      const row = ofKind.get(name);
      if (row === undefined) {
        ofKind.set(name, { [part]: share });
      } else {
        row[part] = share;
      }
    }
  }
  return rows;
}

/** The state with what the rows say, every list and record in the order of its names. */
export function withRows(state: State, rows: RowsByKind): State {
  const joined = entries.map(([part, spread]) => {
    const shares = new Map<string, unknown>(spread.split(state[part]));
    for (const [name, row] of rows[spread.kind]) {
      if (row[part] !== undefined) {
        shares.set(name, row[part]);
      }
    }
    return [part, spread.join(shares)] as const;
  });
  return { ...state, ...(Object.fromEntries(joined) as Pick<State, RowPart>) };
}
