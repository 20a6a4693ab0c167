import { ORDINARY_REASONS } from '@outrigger/core/explanation/ordinary-reasons.ts';
import { HISTORY_KINDS } from '@outrigger/core/explanation/history/story.ts';
import type { Decision, PlanReport, UnremovableReason } from '@outrigger/core/model/decision.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { pictureOf } from '@outrigger/providers/html/picture/of-scenario.ts';
import type { Picture } from '@outrigger/providers/html/picture/picture.ts';
import { explain } from '@outrigger/core/words/explain.ts';
import type { DecisionOfReport } from './report.ts';
import { sectionsOf } from './sections.ts';

/** Collects the decisions of a run that say something new. */
export interface DecisionLog {
  readonly take: (scenario: Scenario, decision: Decision) => void;
  /** In the order of time, with the milliseconds since 1970. */
  readonly all: () => readonly TimedDecision[];
}

export interface TimedDecision {
  readonly plan: PlanReport | null;
  readonly at: number;
  readonly decision: DecisionOfReport;
}

/** A node that stays for such a reason is no news. */
const ORDINARY: ReadonlySet<UnremovableReason> = new Set([...ORDINARY_REASONS, 'RecentlyUnremovable']);

/** The statements of a part that says nothing. */
const NOTHING = '';

/** Nodes and pods of all pictures of a log: each takes about 20 bytes of its page. */
const MOST_PICTURED = 50_000;

/**
 * @param most decisions that are kept: those before are dropped.
 * @param mostPictured nodes and pods in pictures of decisions: later ones have none
 */
export function createDecisionLog(most = Infinity, mostPictured = MOST_PICTURED): DecisionLog {
  const kept: TimedDecision[] = [];
  let last = { up: NOTHING, down: NOTHING };
  let left = mostPictured;
  return {
    take: (scenario, decision) => {
      const up = decision.evaluation === 'ScaleDown' ? last.up : newsOfScaleUp(decision);
      const down = decision.evaluation === 'ScaleUp' ? last.down : newsOfScaleDown(decision);
      const isNews = (up !== last.up && up !== NOTHING) || (down !== last.down && down !== NOTHING);
      last = { up, down };
      if (!isNews) {
        return;
      }
      const described = describe(scenario, decision);
      const size = scenario.objects.nodes.length + scenario.objects.pods.length;
      let picture: Picture | null = null;
      if (described.changes && size <= left) {
        left -= size;
        picture = pictureOf(scenario, decision);
      }
      kept.push({ at: scenario.now, plan: decision.scaleUp.plan, decision: { ...described, picture } });
      if (kept.length > most) {
        kept.splice(0, kept.length - most);
      }
    },
    all: () => kept,
  };
}

/** A decision for the page, without its time and its picture. */
export function describe(scenario: Scenario, decision: Decision): DecisionOfReport {
  const { evaluation, scaleUp, scaleDown, registry } = decision;
  return {
    at: null,
    name: null,
    kind: mapOptional(evaluation, (part) => HISTORY_KINDS[part]) ?? 'both',
    message: explain(decision).message,
    changes: scaleUp.increases.length + scaleDown.removals.length + registry.repairs.length > 0,
    picture: null,
    sections: sectionsOf(scenario, decision),
  };
}

/** The statements about pods and groups, without times; empty where no pod needs a node and nothing is changed. */
function newsOfScaleUp({ scaleUp, registry, departures = [], unexpectedErrors = [] }: Decision): string {
  const { result, increases, pods, skippedGroups } = scaleUp;
  const waiting = pods.filter(({ outcome }) => outcome !== 'Fits' && outcome !== 'Ignored');
  if (waiting.length + increases.length + registry.repairs.length + departures.length + unexpectedErrors.length === 0) {
    return NOTHING;
  }
  return JSON.stringify([
    result,
    increases,
    waiting.map(({ pod, outcome, group }) => [pod, outcome, group]),
    skippedGroups.map(({ group, reason }) => [group, reason]),
    registry.repairs,
    departures,
    unexpectedErrors.length,
  ]);
}

function newsOfScaleDown({ scaleDown }: Decision): string {
  const { result, unneeded, removals, unremovable } = scaleDown;
  const blocked = unremovable.filter(({ reason }) => !ORDINARY.has(reason));
  if (unneeded.length + removals.length + blocked.length === 0) {
    return NOTHING;
  }
  return JSON.stringify([
    result === 'Planned',
    unneeded,
    removals.map(({ node }) => node),
    blocked.map(({ node, reason, pod }) => [node, reason, pod]),
  ]);
}
