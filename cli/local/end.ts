import type { Log } from '@outrigger/core/ports/observability.ts';

export interface End {
  /** The exit code, once the process is to end. */
  readonly exitCode: Promise<number>;
  /** Restores the default handling of signals and errors. */
  readonly forget: () => void;
}

/**
 * Waits for SIGINT or SIGTERM. A second signal ends the process at once; an unexpected error ends it as a signal does,
 * so that the webhook is removed.
 */
export function waitForEnd(log: Log): End {
  const { promise, resolve } = Promise.withResolvers<number>();
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) {
      process.exit(130);
    }
    log.info(`${signal}: shutting down; send it again to exit at once`);
    resolve(0);
  };
  const onBroken = (error: unknown): void => {
    log.error('Unexpected error; shutting down', { error });
    resolve(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.on('uncaughtException', onBroken).on('unhandledRejection', onBroken);
  return {
    exitCode: promise,
    forget: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      process.off('uncaughtException', onBroken).off('unhandledRejection', onBroken);
    },
  };
}
