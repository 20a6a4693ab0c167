import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import type { Item } from './access.ts';
import { storedDocumentSchema, readStoredDocument, writeDocument } from '../compressed/document.ts';
import { type Key, stateKey } from './keys.ts';
import { FORMATS, inCurrentFormat } from './migrations.ts';
import { findings, type Problem } from './quarantine.ts';
import { CLUSTER_PARTS } from './rows.ts';
import { readStoredState } from '../schema/stored/state.ts';

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
  const current = inCurrentFormat('state', raw);
  if (!current.ok) {
    return unreadable(current.error.reason, current.error.kind === 'newer');
  }
  const envelope = item.safeParse(current.value);
  if (!envelope.success) {
    return unreadable(findings(envelope.error));
  }
  const { document, ...known } = envelope.data;
  let content: unknown;
  try {
    content = JSON.parse(await readStoredDocument(document));
  } catch (error) {
    return { ...unreadable(`document: ${messageOf(error)}`), ...known };
  }
  const parsed = readStoredState(content);
  if (!parsed.ok) {
    return { ...unreadable(`document: ${findings(parsed.error)}`), ...known };
  }
  const { state, dropped } = parsed.value;
  const problems = dropped.map(({ place, error }) => ({ place, reason: findings(error) }));
  return { ...known, state, problems, newer: false };
}

export interface NextState {
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
