import { present } from '@outrigger/core/model/values/present.ts';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Commit } from '@outrigger/core/ports/state-store.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { addTime, type DurationMs, type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { storedDocumentSchema, readStoredDocument } from '../compressed/document.ts';
import { decisionKey, type Key } from './keys.ts';
import { FORMATS, inCurrentFormat } from './migrations.ts';
import { findings } from './quarantine.ts';
import { storedDecision as decisionSchema } from '../schema/stored/decision.ts';
import { writeStoredDecision } from '../compressed/stored-decision.ts';

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
  const current = inCurrentFormat('decision', raw);
  if (!current.ok) {
    return err(current.error.reason);
  }
  const envelope = item.safeParse(current.value);
  if (!envelope.success) {
    return err(findings(envelope.error));
  }
  let content: unknown;
  try {
    content = JSON.parse(await readStoredDocument(envelope.data.document));
  } catch (error) {
    return err(`document: ${messageOf(error)}`);
  }
  const parsed = decisionSchema.safeParse(content);
  return parsed.success ? ok(parsed.data) : err(`document: ${findings(parsed.error)}`);
}
