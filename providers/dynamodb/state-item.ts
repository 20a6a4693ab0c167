import * as z from 'zod';
import { type ClusterName, byName } from '../../core/model/names.ts';
import { EMPTY_STATE, type State } from '../../core/model/state.ts';
import { type EpochMs, formatTime } from '../../core/model/time.ts';
import { documentSchema, readDocument, sizeOf, writeDocument } from './document.ts';
import { type Key, stateKey } from './keys.ts';
import { findings } from './quarantine.ts';
import { SCHEMA_VERSION, schemaVersion } from './schema/scalars.ts';
import { readState } from './schema/state.ts';

/** What the item with sort key `STATE` says. */
export interface StoredState {
  readonly version: number;
  readonly state: State;
  /** Keys of the items that the same transaction wrote: a reader who does not see one of them has seen half of it. */
  readonly wrote: readonly string[];
  /** Ids that the same transaction took away, for the same reason. */
  readonly settled: readonly string[];
  /** Why the item, or a part of it, was taken as absent; the place is inside the item. */
  readonly problems: readonly { readonly place: string; readonly reason: string }[];
  /** Nothing of the item but its version could be read. */
  readonly unreadable: boolean;
}

const item = z.object({
  schema: schemaVersion,
  version: z.int().positive(),
  wrote: z.array(z.string()),
  settled: z.array(z.string()),
  document: documentSchema,
});

/** Of a cluster that was never evaluated. */
export const NO_STATE: StoredState = {
  version: 0,
  state: EMPTY_STATE,
  wrote: [],
  settled: [],
  problems: [],
  unreadable: false,
};

/** Reads the item. One that makes no sense is an empty state of the same version, so that the next can replace it. */
export async function readStateItem(raw: Readonly<Record<string, unknown>>): Promise<StoredState> {
  const unreadable = (reason: string): StoredState => ({
    ...NO_STATE,
    version: typeof raw['version'] === 'number' ? raw['version'] : 0,
    problems: [{ place: '', reason }],
    unreadable: true,
  });
  const envelope = item.safeParse(raw);
  if (!envelope.success) {
    return unreadable(findings(envelope.error));
  }
  const { version, wrote, settled, document } = envelope.data;
  let content: unknown;
  try {
    content = await readDocument(document);
  } catch (error) {
    return unreadable(`document: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = readState(content);
  if (!parsed.ok) {
    return unreadable(`document: ${findings(parsed.error)}`);
  }
  const { state, dropped } = parsed.value;
  const problems = dropped.map(({ place, error }) => ({ place, reason: findings(error) }));
  return { version, state, wrote, settled, problems, unreadable: false };
}

export interface NextState extends Pick<StoredState, 'version' | 'state' | 'wrote' | 'settled'> {
  /** Of this very commit: tells its writer, when it tries again, that the first try had succeeded. */
  readonly token: string;
  readonly now: EpochMs;
}

/** Throws when the state is larger than an item may be. */
export async function stateItem(
  cluster: ClusterName,
  next: NextState,
): Promise<Key & Readonly<Record<string, unknown>>> {
  const { version, state, wrote, settled, token, now } = next;
  const document = await writeDocument(state);
  const size = sizeOf(document) + Buffer.byteLength(JSON.stringify([wrote, settled]));
  if (size > MAX_ITEM_BYTES) {
    throw new Error(
      `The state of cluster ${cluster} takes ${Math.ceil(size / 1024)} KB compressed and at most ` +
        `${MAX_ITEM_BYTES / 1024} KB fit; its largest parts are ${largestParts(state)}`,
    );
  }
  return {
    ...stateKey(cluster),
    schema: SCHEMA_VERSION,
    version,
    token,
    wrote,
    settled,
    updatedAt: formatTime(now),
    document,
  };
}

/** An item holds 400 KB; the rest is for its keys and attribute names. */
const MAX_ITEM_BYTES = 390 * 1024;

const largestParts = (state: State): string =>
  Object.entries(state)
    .map(([part, value]) => ({
      part,
      length: typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
    }))
    .sort((a, b) => b.length - a.length || byName(a.part, b.part))
    .slice(0, 3)
    .map(({ part, length }) => `${part} (${length} entries)`)
    .join(', ');
