import * as z from 'zod';
import { byName } from '../../core/model/values/names.ts';
import { sortedRecord } from '../../core/model/values/sorted.ts';
import { STATE_ORDER, type State } from '../../core/model/state.ts';
import { ROW_KINDS, type RowKind } from './keys.ts';
import { type StatePart, stateParts, type Subject } from '../schema/state.ts';
import { STORED, withPresentNames } from './schema/state.ts';

/** What the state remembers about one thing: its share of each part of the state that has something about it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of one kind by the name of what they are about: a group, a node, an instance … */
export type Rows = ReadonlyMap<string, Row>;

export type RowsByKind = Readonly<Record<RowKind, Rows>>;

/** What is about the cluster as a whole: it is written with every commit. */
export const CLUSTER_PARTS = stateParts.flatMap(([name, { about }]) => (about === 'cluster' ? [name] : []));

/** The rows that hold what a part says, by what it is about. */
const ROWS_ABOUT: Readonly<Record<Exclude<Subject, 'cluster'>, RowKind>> = {
  group: 'GROUP',
  node: 'NODE',
  instance: 'INSTANCE',
  pod: 'EVICTED',
  shortage: 'SHORTAGE',
};

/** How one part of the state is spread over rows. */
interface Spread {
  readonly part: keyof State;
  readonly kind: RowKind;
  /** Of the share that one row has. */
  readonly schema: z.ZodType;
  readonly split: (value: unknown) => Iterable<readonly [name: string, share: unknown]>;
  /** The other way, sorted by name. Shares have been through the schema. */
  readonly join: (shares: ReadonlyMap<string, unknown>) => unknown;
}

/** What is about one thing is a row's share as it is; of a list it is the entries about that thing, in their order. */
function spread(part: keyof State, described: StatePart): readonly Spread[] {
  switch (described.kind) {
    case 'time':
    case 'optionalTime':
      return [];
    case 'table':
      return [
        {
          part,
          kind: ROWS_ABOUT[described.about],
          schema: described.value(STORED),
          split: (value) => Object.entries(value as Readonly<Record<string, unknown>>),
          join: sortedRecord,
        },
      ];
    case 'list': {
      const nameOf = STATE_ORDER[part as keyof typeof STATE_ORDER] as (entry: unknown) => string;
      return [
        {
          part,
          kind: ROWS_ABOUT[described.about],
          schema: z.array(described.value(STORED)),
          split: (value) => Map.groupBy(value as readonly unknown[], nameOf),
          join: (shares) =>
            [...(shares as ReadonlyMap<string, readonly unknown[]>)]
              .sort(([a], [b]) => byName(a, b))
              .flatMap(([, entries]) => entries),
        },
      ];
    }
  }
}

const SPREADS = stateParts.flatMap(([name, part]) => spread(name, part));

/** What a row of each kind must look like. A part that is absent has nothing about it. */
export const rowSchemas = Object.fromEntries(
  ROW_KINDS.map((kind) => [
    kind,
    z.preprocess(
      withPresentNames,
      z.looseObject(
        Object.fromEntries(
          SPREADS.flatMap(({ part, kind: of, schema }) => (of === kind ? [[part, schema.optional()]] : [])),
        ),
      ),
    ),
  ]),
) as unknown as Readonly<Record<RowKind, z.ZodType<Row>>>;

/** The rows of a state; what is about the cluster as a whole is in none of them. */
export function rowsOf(state: State): RowsByKind {
  const rows = Object.fromEntries(
    ROW_KINDS.map((kind) => [kind, new Map<string, Record<string, unknown>>()]),
  ) as unknown as Record<RowKind, Map<string, Record<string, unknown>>>;
  for (const { part, kind, split } of SPREADS) {
    const ofKind = rows[kind];
    for (const [name, share] of split(state[part])) {
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
  const joined = SPREADS.map(({ part, kind, split, join }) => {
    const shares = new Map<string, unknown>(split(state[part]));
    for (const [name, row] of rows[kind]) {
      if (row[part] !== undefined) {
        shares.set(name, row[part]);
      }
    }
    return [part, join(shares)] as const;
  });
  return { ...state, ...(Object.fromEntries(joined) as Partial<State>) };
}
