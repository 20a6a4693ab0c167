import * as z from 'zod';
import { byName } from '@outrigger/core/model/values/names.ts';
import { sortedRecord } from '@outrigger/core/model/values/sorted.ts';
import { STATE_ORDER, type State } from '@outrigger/core/model/state.ts';
import { ROW_KINDS, type RowKind } from './keys.ts';
import { type StatePart, stateParts, type PartSubject } from '../schema/state.ts';
import { FORMER_FIELDS } from '../schema/former-names.ts';
import { STORED, stored } from '../schema/stored/state.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** The state of one subject: its share of each part of the state. */
export type StateRow = Readonly<Record<string, unknown>>;

/** The rows of one kind by the name of their subject: a group, a node, an instance … */
export type Rows = ReadonlyMap<string, StateRow>;

export type RowsByKind = Readonly<Record<RowKind, Rows>>;

/** The parts about the whole cluster: they are written with every commit. */
export const CLUSTER_PARTS = stateParts.filter(([, { about }]) => about === 'cluster').map(([name]) => name);

/** The kind of rows that contain a part, by its subject. */
const ROWS_ABOUT: Readonly<Record<Exclude<PartSubject, 'cluster'>, RowKind>> = {
  group: 'GROUP',
  node: 'NODE',
  instance: 'INSTANCE',
  pod: 'EVICTED',
  shortage: 'SHORTAGE',
};

/** How one part of the state is divided among rows. */
interface Spread {
  readonly part: keyof State;
  readonly kind: RowKind;
  /** Schema of one row's share. */
  readonly schema: z.ZodType;
  readonly split: (value: unknown) => Iterable<readonly [name: string, share: unknown]>;
  /** The inverse, sorted by name. Shares have been validated by the schema. */
  readonly join: (shares: ReadonlyMap<string, unknown>) => unknown;
}

/** A row's share is the subject's value; of a list it is the subject's entries, in their order. */
function spread(part: keyof State, described: StatePart): readonly Spread[] {
  switch (described.kind) {
    case 'time':
    case 'optionalTime':
    case 'optionalList':
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

/** The schema of each kind of row. A part may be absent. */
export const rowSchemas = Object.fromEntries(
  ROW_KINDS.map((kind) => [
    kind,
    stored(
      Object.fromEntries(
        SPREADS.filter((one) => one.kind === kind).map(({ part, schema }) => [part, schema.optional()]),
      ),
      FORMER_FIELDS.state,
    ),
  ]),
) as unknown as Readonly<Record<RowKind, z.ZodType<StateRow>>>;

/** The rows of a state; the parts about the whole cluster are in none of them. */
export function rowsOf(state: State): RowsByKind {
  const rows = Object.fromEntries(
    ROW_KINDS.map((kind) => [kind, new Map<string, Record<string, unknown>>()]),
  ) as unknown as Record<RowKind, Map<string, Record<string, unknown>>>;
  for (const { part, kind, split } of SPREADS) {
    const ofKind = rows[kind];
    for (const [name, share] of split(state[part])) {
      getOrMake(ofKind, name, () => ({}))[part] = share;
    }
  }
  return rows;
}

/** The state from its rows, every list and record sorted by name. */
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
