import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { callFailed } from '@outrigger/providers/aws/api/call-problem.ts';

/** The outcome of a step. `would`: the step was not taken because of `--dry-run`. */
export type StepStatus = 'done' | 'unchanged' | 'skipped' | 'would';

/** The result of a step. */
export interface StepResult<T> {
  readonly status: StepStatus;
  /** In a sentence. */
  readonly text: string;
  readonly value: T;
}

/** A step for the report. */
export interface RecordedStep {
  /** For JSON: kebab-case. */
  readonly id: string;
  readonly status: StepStatus | 'failed';
  readonly text: string;
}

/** A step that failed for a reason which the user can do something about. */
export class StepError extends Error {
  /** The remedy, as commands or settings are typed. */
  readonly remedy: readonly string[];

  constructor(message: string, remedy: readonly string[] = [], cause?: unknown) {
    super(message, present({ cause }));
    this.name = 'StepError';
    this.remedy = remedy;
  }
}

/** Takes steps one after another, and tells of each. */
export interface Journal {
  /** The steps that were taken, in order. */
  readonly steps: readonly RecordedStep[];
  /** The current step; `null` between steps. */
  readonly doing: () => string | null;
  /**
   * Takes a step. What it throws is recorded, and thrown again.
   *
   * @param doing what is going on, for people who wait: `Deploying the stack`
   */
  take<T>(id: string, doing: string, work: () => Promise<StepResult<T>>): Promise<T>;
}

const MARKS: Readonly<Record<StepStatus, string>> = { done: '✓', unchanged: '=', skipped: '-', would: '~' };

/** @param tell takes a line for people, without its newline. */
export function startJournal(tell: (line: string) => void): Journal {
  const steps: RecordedStep[] = [];
  let current: string | null = null;
  return {
    steps,
    doing: () => current,
    async take(id, doing, work) {
      tell(`… ${doing}`);
      current = doing;
      try {
        const { status, text, value } = await work();
        steps.push({ id, status, text });
        tell(`${MARKS[status]} ${text}`);
        return value;
      } catch (error) {
        const told = callFailed(doing, error);
        const text = messageOf(told);
        steps.push({ id, status: 'failed', text });
        tell(`✗ ${text}`);
        throw told;
      } finally {
        current = null;
      }
    },
  };
}

export const stepDone = <T>(text: string, value: T): StepResult<T> => ({ status: 'done', text, value });
export const unchanged = <T>(text: string, value: T): StepResult<T> => ({ status: 'unchanged', text, value });
export const skipped = <T>(text: string, value: T): StepResult<T> => ({ status: 'skipped', text, value });
export const would = <T>(text: string, value: T): StepResult<T> => ({ status: 'would', text, value });
