import type { DrainRound } from '../../../core/ports/executions.ts';
import { createDrain } from '../../../functions/drain/drain.ts';
import { STEP_MS } from '../../../functions/drain/step-limits.ts';
import type { DrainServices } from '../../../functions/shared/services.ts';

/** The longest drain of a test has fewer. */
const MOST_ROUNDS = 2_000;

interface Drive {
  /** Between two rounds; absent: time passes. */
  readonly wait?: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Delivers a message of drains, and the message after it, until none is sent any more. */
export async function driveDrains(
  services: DrainServices,
  first: DrainRound,
  { wait = services.sleep, signal = new AbortController().signal }: Drive = {},
): Promise<void> {
  let sent: { readonly body: string; readonly waitMs: number } | undefined;
  const continueDrains: DrainServices['continueDrains'] = async (round, waitMs) => {
    sent = { body: JSON.stringify(round), waitMs };
  };
  const limits = { stepMs: STEP_MS, limit: () => new AbortController().signal };
  const drain = createDrain({ ...services, continueDrains }, limits);
  await drain(first, { signal });
  for (let rounds = 1; sent !== undefined; rounds += 1) {
    if (rounds > MOST_ROUNDS) {
      throw new Error(`the drain has not ended after ${MOST_ROUNDS} rounds`);
    }
    const { body, waitMs } = sent;
    sent = undefined;
    await wait(waitMs);
    await drain(JSON.parse(body) as DrainRound, { signal });
  }
}
