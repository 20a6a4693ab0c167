import { hash } from 'node:crypto';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { billedBytes, hourOf, mostBytes, wantsScenario } from '@outrigger/core/explanation/history/room.ts';
import { historyEntry, entryKind, storyOf } from '@outrigger/core/explanation/history/story.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { addTime, type EpochMs } from '@outrigger/core/model/values/time.ts';
import type {
  CommittedDecision,
  DecisionHistory,
  HistoryDecision,
  HistoryEntry,
  HistoryResult,
} from '@outrigger/core/ports/decision-history.ts';
import { recorded } from '@outrigger/core/actuation/commit/recorded.ts';
import { readStoredDocument, documentSize, writeDocument } from '../compressed/document.ts';
import { writeStoredDecision } from '../compressed/stored-decision.ts';
import { storedDecision as decisionSchema } from '../schema/stored/decision.ts';
import { storedOptions } from '../schema/stored/scenario.ts';
import { writeScenarioBytes, readScenarioBytes } from '../compressed/scenario-bytes.ts';
import type { HistoryItems, StoredEntry } from './items.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Limit on a decision without its scenario: a larger decision is shortened. */
const MAX_DECISION_BYTES = 64 * 1024;
/** Size of an item without its documents: names of attributes, the changes in words. */
const ITEM_BYTES = 500;
/** Size of an item with a scenario alone: its key and its expiry, for a name of 100 characters. */
const KEY_BYTES = 200;

interface HistoryOptions {
  readonly items: HistoryItems;
  /** Called with an item that cannot be read; it is left out. */
  readonly onUnreadable: (problem: { readonly key: string; readonly problem: string }) => void;
}

/** Facts about a cluster and one kind of its decisions, kept between two of them. */
interface Before {
  readonly story: string | null;
  /** When a scenario was kept last of a decision that orders nothing. */
  readonly sampledAt: EpochMs | null;
  /** The hour in which there was no more room for a decision. */
  readonly full: number | null;
}

/** The items of a history, and the facts by cluster and kind of decision. */
interface HistoryMemory {
  readonly items: HistoryItems;
  readonly before: Map<string, Before>;
}

/** A history over the items of some store. */
export function createHistory({ items, onUnreadable }: HistoryOptions): DecisionHistory {
  const before = new Map<string, Before>();
  const read = async (entry: StoredEntry): Promise<readonly HistoryDecision[]> => {
    try {
      return [await readDecision(entry)];
    } catch (error) {
      onUnreadable({ key: `decision ${entry.id}`, problem: messageOf(error) });
      return [];
    }
  };
  return {
    add: async (cluster, committed, signal) => {
      try {
        return await keep({ items, before }, cluster, committed, signal);
      } catch (error) {
        signal?.throwIfAborted();
        return { kind: 'failed', error };
      }
    },
    list: async (...given) => (await items.list(...given)).map(inBrief),
    decisions: async (...given) => (await Promise.all((await items.list(...given)).map(read))).flat(),
    get: async (cluster, id, signal) => {
      const entry = await items.get(cluster, id, signal);
      if (entry === null) {
        return null;
      }
      const bytes = entry.scenario === 'kept' ? await items.scenario(cluster, id, signal) : null;
      const { scenario: without, ...rest } = await readDecision(entry);
      const reason = without === 'kept' ? 'sampled' : without;
      return {
        ...rest,
        digest: entry.digest,
        scenario: await mapOptional(bytes, readScenarioBytes),
        withoutScenario: bytes === null ? reason : null,
      };
    },
  };
}

async function keep(
  { items, before: remembered }: HistoryMemory,
  cluster: ClusterName,
  { version, scenario, decision }: CommittedDecision,
  signal: AbortSignal | undefined,
): Promise<HistoryResult> {
  const { now: at, options } = scenario;
  if (options.decisionHistory === 0) {
    return { kind: 'not kept', reason: 'off' };
  }
  const kind = entryKind(decision);
  const key = JSON.stringify([cluster, kind]);
  const story = hash('sha256', storyOf(decision));
  const before = remembered.get(key) ?? {
    story: await items.lastStory(cluster, kind, signal),
    sampledAt: null,
    full: null,
  };
  remembered.set(key, before);
  if (before.story === story) {
    return { kind: 'not kept', reason: 'nothing new' };
  }
  const hour = hourOf(at);
  if (before.full === hour) {
    return { kind: 'not kept', reason: 'hour is full' };
  }
  const whole = recorded(decision, scenario);
  const entry = {
    ...historyEntry(version, at, decision),
    digest: digestOf(whole),
    story,
    decision: await writeStoredDecision(whole, MAX_DECISION_BYTES),
    settings: await writeDocument(JSON.stringify(options)),
    ttl: Math.ceil(addTime(at, options.decisionHistory) / 1_000),
  };
  const bytes = ITEM_BYTES + Buffer.byteLength(entry.did) + documentSize(entry.decision) + documentSize(entry.settings);
  const written = wantsScenario(entry.changes, at, before.sampledAt) ? await writeScenarioBytes(scenario) : 'sampled';
  const attempts = [...(written instanceof Uint8Array ? [written] : []), null];
  const without = written === null ? 'too large' : 'sampled';
  for (const scenarioBytes of attempts) {
    const size = billedBytes(bytes, scenarioBytes === null ? 0 : scenarioBytes.byteLength + KEY_BYTES);
    const most = mostBytes(entry.changes, scenarioBytes !== null);
    if (await items.spend(cluster, { hour, bytes: size, most, ttl: entry.ttl }, signal)) {
      const of: HistoryEntry['scenario'] = scenarioBytes !== null ? 'kept' : without;
      await items.put(cluster, { ...entry, scenario: of }, scenarioBytes, signal);
      const sampledAt = of === 'kept' && !entry.changes ? at : before.sampledAt;
      remembered.set(key, { story, sampledAt, full: null });
      return { kind: 'kept', scenario: of };
    }
  }
  remembered.set(key, { ...before, full: hour });
  return { kind: 'not kept', reason: 'hour is full' };
}

/** SHA-256 of a decision as it was made, in hexadecimal. Stacks, which name the files of a program, do not count. */
export const digestOf = (decision: Decision): string =>
  hash(
    'sha256',
    JSON.stringify(decision, (name, value: unknown) => (name === 'stack' ? undefined : value)),
  );

const inBrief = (entry: StoredEntry): HistoryEntry => {
  const { id, at, kind, changes, did, scenario } = entry;
  return { id, at, kind, changes, did, scenario };
};

/** Rejects where its documents cannot be read. */
const readDecision = async (entry: StoredEntry): Promise<HistoryDecision> => ({
  ...inBrief(entry),
  decision: decisionSchema.parse(JSON.parse(await readStoredDocument(entry.decision))),
  settings: storedOptions.parse(JSON.parse(await readStoredDocument(entry.settings))),
});
