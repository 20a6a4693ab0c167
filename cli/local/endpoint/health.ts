/** Whether evaluations go on, as Cluster Autoscaler's health check says it (`metrics/liveness.go`). */
export interface Health {
  /** An evaluation begins. */
  readonly begins: (now: number) => void;
  /** An evaluation has succeeded, or found nothing to evaluate. */
  readonly succeeds: (now: number) => void;
  /** @returns what is wrong; `null` where all is well. */
  readonly trouble: (now: number) => string | null;
}

export interface HealthLimits {
  /** Longest time in milliseconds between the beginnings of two evaluations. */
  readonly maxInactivityMs: number;
  /** Longest time in milliseconds without an evaluation that succeeds. */
  readonly maxFailingMs: number;
}

/** @param start the process counts as active, and as succeeding, since then. */
export function createHealth({ maxInactivityMs, maxFailingMs }: HealthLimits, start: number): Health {
  let begun = start;
  let succeeded = start;
  const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
  return {
    begins: (now) => {
      begun = now;
    },
    succeeds: (now) => {
      succeeded = now;
    },
    trouble: (now) => {
      if (now - begun > maxInactivityMs) {
        return `no evaluation began for ${seconds(now - begun)}; the limit is ${seconds(maxInactivityMs)}`;
      }
      if (now - succeeded > maxFailingMs) {
        return `no evaluation succeeded for ${seconds(now - succeeded)}; the limit is ${seconds(maxFailingMs)}`;
      }
      return null;
    },
  };
}
