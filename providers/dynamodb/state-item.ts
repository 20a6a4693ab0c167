import * as z from 'zod';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import type { Item } from './access.ts';
import { storedDocumentSchema, writeDocument } from '../compressed/document.ts';
import { type Key, stateKey } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { findings, type Problem } from './quarantine.ts';
import { CLUSTER_PARTS } from './rows.ts';
import { readStoredState } from '../schema/stored/state.ts';
import { readContent, readItem } from './stored-item.ts';

/** The item with sort key `STATE`: the version of the state, and the items of this version. */
export interface StoredState {
  readonly version: number;
  /** Token of the commit that wrote it; `null` where it cannot be read. */
  readonly token: string | null;
  /** The parts of the state about the whole cluster; in an older format possibly the whole state. */
  readonly state: State;
  /**
   * The slots and the items with intents that belong to this version, each with the version that wrote it last: a load
   * that finds another version has read half of a transaction. `null` where that cannot be read.
   */
  readonly items: Readonly<Record<string, number>> | null;
  /** The table may have items with intents beyond the listed items. */
  readonly unlistedIntents: boolean;
  /** Why the item, or a part of it, counts as absent. */
  readonly problems: readonly Problem[];
  /** Written by a newer version: it must not be overwritten. */
  readonly newer: boolean;
}

const item = z.object({
  version: z.int().positive(),
  token: z.string().nullable().default(null),
  items: z.record(z.string(), z.int()),
  unlistedIntents: z.boolean().default(false),
  document: storedDocumentSchema,
});

/** The item of a cluster that was never evaluated. */
export const NO_STATE: StoredState = {
  version: 0,
  token: null,
  state: EMPTY_STATE,
  items: {},
  unlistedIntents: true,
  problems: [],
  newer: false,
};

/** Reads the item. An unreadable one is an empty state of the same version, so that the next commit can replace it. */
export async function readStateItem(raw: Item): Promise<StoredState> {
  const unreadable = (reason: string, newer = false): StoredState => ({
    ...NO_STATE,
    version: typeof raw['version'] === 'number' ? raw['version'] : 0,
    items: null,
    problems: [{ place: '', reason }],
    newer,
  });
  const envelope = readItem('state', item, raw);
  if (!envelope.ok) {
    return unreadable(envelope.error.reason, envelope.error.kind === 'newer');
  }
  const { document, ...known } = envelope.value;
  const read = await readContent(document);
  if (!read.ok) {
    return { ...unreadable(read.error), ...known };
  }
  const parsed = readStoredState(read.value.content);
  if (!parsed.ok) {
    return { ...unreadable(`document: ${findings(parsed.error)}`), ...known };
  }
  const { state, dropped } = parsed.value;
  const problems = dropped.map(({ place, error }) => ({ place, reason: findings(error) }));
  return { ...known, state, problems, newer: false };
}

interface NextState {
  readonly version: number;
  /** Token of this commit: by it a retry detects that the first attempt had succeeded. */
  readonly token: string;
  readonly state: State;
  readonly items: Readonly<Record<string, number>>;
  readonly now: EpochMs;
}

/** The item; of the state it contains the parts about the whole cluster. */
export async function stateItem(cluster: ClusterName, next: NextState): Promise<Key & Item> {
  const { version, token, state, items, now } = next;
  return {
    ...stateKey(cluster),
    schema: FORMATS.state,
    version,
    token,
    items,
    updatedAt: formatTime(now),
    document: await writeDocument(JSON.stringify(Object.fromEntries(CLUSTER_PARTS.map((part) => [part, state[part]])))),
  };
}
