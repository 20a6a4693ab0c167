import { createHash } from 'node:crypto';
import type { EpochMs } from '../../core/model/values/time.ts';

/** Everything that has happened in a run, a line each. */
export interface EventLog {
  readonly add: (line: string) => void;
  readonly lines: readonly string[];
  /** Equal for equal runs alone. */
  readonly digest: () => string;
}

export function createEventLog(now: () => EpochMs, start: EpochMs): EventLog {
  const lines: string[] = [];
  return {
    add: (line) => {
      lines.push(`${((now() - start) / 1_000).toFixed(3).padStart(9)}  ${line}`);
    },
    lines,
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  };
}
