import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { IdleRecord } from '@outrigger/core/wakeups/idle-detection.ts';
import { type EvaluationHistory, NO_EVALUATIONS } from '@outrigger/core/wakeups/spacing.ts';
import { createMemory, type Memory } from '../evaluate/memory.ts';

/** The memory of a sandbox between its invocations. */
export interface SandboxMemory {
  readonly histories: Memory<EvaluationHistory>;
  readonly rests: Memory<IdleRecord | null>;
  /** Nodes that were ready by then have been counted. */
  readonly ready: Memory<EpochMs | null>;
  /** When the webhook last notified of a pod. */
  readonly notified: Memory<EpochMs | null>;
}

export const remembering = (): SandboxMemory => ({
  histories: createMemory(NO_EVALUATIONS),
  rests: createMemory<IdleRecord | null>(null),
  ready: createMemory<EpochMs | null>(null),
  notified: createMemory<EpochMs | null>(null),
});
