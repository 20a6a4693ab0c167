import * as z from 'zod';
import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Intent } from '@outrigger/core/model/intent.ts';
import type { Item } from './access.ts';
import { intentsKey, type Key } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { findings, type Problem } from './quarantine.ts';
import { type StoredIntent, storedIntent, writeIntent } from '../schema/stored/intent.ts';
import { readItem } from './stored-item.ts';

/** An item with a sort key `INTENT#…`: some of the intents of one commit. */
export interface StoredIntents {
  readonly sk: string;
  readonly intents: readonly Intent[];
  /** The IDs of all intents in the item, unreadable ones included. */
  readonly ids: readonly string[];
  readonly problems: readonly Problem[];
}

const item = z.object({ intents: z.record(z.string(), z.unknown()) });

export function readIntentsItem(sk: string, raw: Readonly<Record<string, unknown>>): StoredIntents {
  const nothing = (reason: string): StoredIntents => ({ sk, intents: [], ids: [], problems: [{ place: '', reason }] });
  const envelope = readItem('intents', item, raw);
  if (!envelope.ok) {
    return nothing(envelope.error.reason);
  }
  const intents: Intent[] = [];
  const problems: Problem[] = [];
  for (const [id, stored] of Object.entries(envelope.value.intents)) {
    const parsed = storedIntent(id).safeParse(stored);
    if (parsed.success) {
      intents.push(parsed.data);
    } else {
      problems.push({ place: `intents.${id}`, reason: findings(parsed.error) });
    }
  }
  return { sk, intents, ids: Object.keys(envelope.value.intents), problems };
}

/** The items with these intents of the commit that writes this version. Throws when two have the same ID. */
export function intentsItems(
  cluster: ClusterName,
  version: number,
  intents: readonly Intent[],
): readonly (Key & Item & { readonly intents: Readonly<Record<string, StoredIntent>> })[] {
  const items = new Map<string, { readonly key: Key; readonly intents: Map<string, StoredIntent> }>();
  for (const next of intents) {
    const key = intentsKey(cluster, next.id);
    const known = items.get(key.sk) ?? { key, intents: new Map<string, StoredIntent>() };
    if (known.intents.has(next.id)) {
      throw new Error(`Cluster ${cluster}: intent ${next.id} is twice in one commit`);
    }
    known.intents.set(next.id, writeIntent(next));
    items.set(key.sk, known);
  }
  return [...items.values()]
    .sort((a, b) => byName(a.key.sk, b.key.sk))
    .map(({ key, intents: held }) => ({ ...key, schema: FORMATS.intents, version, intents: Object.fromEntries(held) }));
}
