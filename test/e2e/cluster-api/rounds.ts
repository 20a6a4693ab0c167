import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/** A small controller: one round after another, until it is stopped. */
export function startRounds(name: string, round: () => Promise<void>): { readonly stop: () => Promise<void> } {
  const stopped = new AbortController();
  const finished = (async () => {
    while (!stopped.signal.aborted) {
      // An object may change in between, and the next round makes up for it; what stays broken, the test misses.
      await round().catch((error: unknown) => process.stdout.write(`${name}, goes on: ${String(error)}\n`));
      await delay(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await finished;
    },
  };
}
