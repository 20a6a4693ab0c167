import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Rest } from '@outrigger/core/wakeups/rest.ts';
import { type EvaluationHistory, NO_EVALUATIONS } from '@outrigger/core/wakeups/spacing.ts';
import { createMemory, type Memory } from '../evaluate/memory.ts';

/** The memory of a sandbox between its invocations. */
export interface SandboxMemory {
  readonly histories: Memory<EvaluationHistory>;
  readonly rests: Memory<Rest | null>;
  /** Nodes that were ready by then have been counted. */
  readonly ready: Memory<EpochMs | null>;
  /** When the webhook last notified of a pod. */
  readonly notified: Memory<EpochMs | null>;
}

export const remembering = (): SandboxMemory => ({
  histories: createMemory(NO_EVALUATIONS),
  rests: createMemory<Rest | null>(null),
  ready: createMemory<EpochMs | null>(null),
  notified: createMemory<EpochMs | null>(null),
});
