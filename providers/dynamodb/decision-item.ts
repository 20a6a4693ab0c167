import { present } from '@outrigger/core/model/values/present.ts';
import * as z from 'zod';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Commit } from '@outrigger/core/ports/state-store.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { addTime, type DurationMs, type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { storedDocumentSchema } from '../compressed/document.ts';
import { decisionKey, type Key } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { findings } from './quarantine.ts';
import { storedDecision as decisionSchema } from '../schema/stored/decision.ts';
import { writeStoredDecision } from '../compressed/stored-decision.ts';
import { readContent, readItem } from './stored-item.ts';

const item = z.object({ document: storedDocumentSchema });

/** Epoch seconds, as DynamoDB's time to live requires them. */
export const expiry = (now: EpochMs, retention: DurationMs): number => Math.ceil(addTime(now, retention) / 1_000);

export async function decisionItem(
  cluster: ClusterName,
  { expectedVersion, decision, now }: Commit,
  retention: DurationMs,
): Promise<Key & Readonly<Record<string, unknown>>> {
  return {
    ...decisionKey(cluster, expectedVersion + 1),
    schema: FORMATS.decision,
    decidedAt: formatTime(now),
    ttl: expiry(now, retention),
    ...present({ evaluation: decision.evaluation }),
    document: await writeStoredDecision(decision),
  };
}

/** Reads the item, or returns why it is unreadable. */
export async function readDecisionItem(raw: Readonly<Record<string, unknown>>): Promise<Result<Decision, string>> {
  const envelope = readItem('decision', item, raw);
  if (!envelope.ok) {
    return err(envelope.error.reason);
  }
  const read = await readContent(envelope.value.document);
  if (!read.ok) {
    return read;
  }
  const { data, error } = decisionSchema.safeParse(read.value.content);
  return error === undefined ? ok(data) : err(`document: ${findings(error)}`);
}
