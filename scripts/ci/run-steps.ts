import type { Step } from './steps.ts';

/** How a step has ended. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Why the step failed where that is no failed test. */
  readonly reason?: string;
}

/** `null`: a step that it needs has failed. */
export type Report = (step: Step, outcome: Outcome | null) => void;

/**
 * Runs steps side by side on so many cores: the first step that can begin, begins. A failed step stops only the steps
 * that depend on it.
 */
export async function runSteps(
  steps: readonly Step[],
  cores: number,
  run: (step: Step) => Promise<Outcome>,
  report: Report,
): Promise<void> {
  const outcomes = new Map<string, Outcome | null>();
  const running = new Map<Step, Promise<void>>();
  let waiting = steps;

  const begin = async (step: Step): Promise<void> => {
    const outcome = await run(step);
    outcomes.set(step.name, outcome);
    running.delete(step);
    report(step, outcome);
  };
  const needs = ({ needs: names = [] }: Step) => names.map((name) => outcomes.get(name));

  while (waiting.length > 0 || running.size > 0) {
    for (const step of waiting) {
      if (!needs(step).some((outcome) => outcome === null || hasFailed(outcome))) continue;
      waiting = waiting.filter((each) => each !== step);
      outcomes.set(step.name, null);
      report(step, null);
    }
    for (const step of waiting) {
      const busy = [...running.keys()].reduce((sum, each) => sum + each.cores, 0);
      const isReady = needs(step).every((outcome) => outcome !== undefined);
      if (!isReady || (busy > 0 && busy + step.cores > cores)) continue;
      waiting = waiting.filter((each) => each !== step);
      running.set(step, begin(step));
    }
    if (running.size === 0 && waiting.length > 0) throw new Error(`${waiting[0]!.name} needs what is no step`);
    await Promise.race(running.values());
  }
}

const hasFailed = (outcome: Outcome | undefined): boolean => outcome !== undefined && outcome.failed > 0;
