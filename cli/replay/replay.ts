import { withoutLeftovers } from '@outrigger/core/drain/leftovers.ts';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '@outrigger/core/evaluate.ts';
import { type Difference, differencesOf } from '@outrigger/core/explanation/history/differences.ts';
import { entryKind } from '@outrigger/core/explanation/history/story.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { explain } from '@outrigger/core/words/explain.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { HistoryKind, HistoryRecord } from '@outrigger/core/ports/decision-history.ts';
import { recorded } from '@outrigger/core/actuation/commit/recorded.ts';
import { digestOf } from '@outrigger/providers/history/history.ts';
import { type ReplaySettings, withSettings, writeSettings } from './settings.ts';

/** The stored decision, and the decision with other options. */
export interface Replay {
  /** `null` of a scenario in a file. */
  readonly id: string | null;
  readonly name: string;
  readonly at: EpochMs;
  readonly part: HistoryKind;
  /** Does this version decide the same from it, byte for byte? `null` of a scenario in a file: there is nothing to compare with. */
  readonly sameBytes: boolean | null;
  readonly set: Readonly<Record<string, unknown>>;
  /** In words, those of the log line. */
  readonly decided: string;
  readonly wouldBe: string;
  readonly differences: readonly Difference[];
  /** The decision that would be made. */
  readonly decision: Decision;
}

const EVALUATIONS: Readonly<Record<HistoryKind, (scenario: Scenario) => Decision>> = {
  'scale-up': evaluateScaleUp,
  'scale-down': evaluateScaleDown,
  evaluation: evaluate,
};

/** Makes a decision of the history again, from exactly what it was made from but for the settings. */
export function replayRecord(
  { id, kind, digest, decision }: HistoryRecord,
  scenario: Scenario,
  set: ReplaySettings,
): Replay {
  const again = EVALUATIONS[kind](scenario);
  const sameBytes = digestOf(recorded(again, scenario)) === digest;
  const { length } = Object.keys(set);
  return replayed(
    { id, sameBytes, scenario, set },
    // Without settings the stored decision counts: the output shows the differences of this version.
    length === 0 && !sameBytes ? decision : again,
    length === 0 ? again : EVALUATIONS[kind](withSettings(scenario, set)),
  );
}

/** Evaluates a scenario of a file as it is, and with the settings. */
export function replayScenario(given: Scenario, set: ReplaySettings): Replay {
  const scenario = withoutLeftovers(given);
  return replayed(
    { id: null, sameBytes: null, scenario, set },
    evaluate(scenario),
    evaluate(withSettings(scenario, set)),
  );
}

const replayed = (
  {
    scenario,
    set,
    ...of
  }: Pick<Replay, 'id' | 'sameBytes'> & { readonly scenario: Scenario; readonly set: ReplaySettings },
  decided: Decision,
  decision: Decision,
): Replay => ({
  ...of,
  name: scenario.name,
  at: scenario.now,
  part: entryKind(decision),
  set: writeSettings(set),
  decided: explain(decided).message,
  wouldBe: explain(decision).message,
  differences: differencesOf(decided, decision),
  decision,
});
