import { startProxy, type Proxy } from './proxy.ts';

/** On which side of a call's effect it is caught. */
export type Side = 'before' | 'after';

/** Stands in front of AWS endpoints and catches one of the calls that change something. */
export interface Tripwire {
  /** The addresses in front of the targets, in their order. */
  readonly endpoints: readonly string[];
  /**
   * Catches the `nth` change from now on, counted over all targets: before it is passed on, or after it has taken
   * effect. Its caller never gets an answer. Resolves with its name when it is caught.
   */
  catchChange(nth: number, side: Side): Promise<string>;
  /** Catches nothing any more. */
  disarm(): void;
  stop(): Promise<void>;
}

interface Trap {
  left: number;
  readonly side: Side;
  readonly caught: (action: string) => void;
}

export async function startTripwire(targets: readonly string[]): Promise<Tripwire> {
  let trap: Trap | null = null;
  const proxies: Proxy[] = [];
  for (const target of targets) {
    proxies.push(
      await startProxy(target, async ({ action, forward }) => {
        if (trap === null || action === null || changesNothing(action) || --trap.left > 0) return forward();
        const { side, caught } = trap;
        trap = null;
        if (side === 'after') await forward();
        caught(action);
        return null;
      }),
    );
  }
  return {
    endpoints: proxies.map(({ endpoint }) => endpoint),
    catchChange: (nth, side) =>
      new Promise((resolve) => {
        trap = { left: nth, side, caught: resolve };
      }),
    disarm: () => {
      trap = null;
    },
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** The table is made at each start, whether it is there or not. */
const changesNothing = (action: string): boolean => /^(?:Describe|Get|Query|List|BatchGet|CreateTable)/.test(action);
