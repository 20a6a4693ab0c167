import { nodePricesOf } from '@outrigger/core/model/node-group.ts';
import { type GroupName, podKey, type PodKey } from '@outrigger/core/model/values/names.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import type { HistoryDecision } from '@outrigger/core/ports/decision-history.ts';
import type { AnswerResult, ClusterStores, StoredAnswer } from '../explain/stored.ts';
import { keptAs } from '../history/kept.ts';
import type { Moment } from '../history/period.ts';
import { compare } from './compare.ts';
import type { Announcements, ClusterComparison, Comparison } from './comparison.ts';
import { tellComparison } from './text.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';

export interface ComparedPeriod {
  readonly since: Moment;
  readonly until?: Moment;
}

/** The number of scenarios that are read for the times of pods: each has up to 350 KB. */
const MOST_SCENARIOS = 100;
/** The number of decisions before the period among which those are looked for that held at its beginning. */
const LOOKED_BACK = 50;

/** An answer, with the comparison itself for a page. */
export interface ComparisonAnswer extends StoredAnswer {
  readonly comparison: Comparison;
}

/** Compares the decisions of an observing Outrigger with the autoscaler that acts. */
export async function aboutComparison(
  period: ComparedPeriod,
  announced: Announcements,
  stored: ClusterStores,
): Promise<AnswerResult<ComparisonAnswer>> {
  const { cluster, history, now, signal } = stored;
  const [since, until] = [period.since(now), period.until?.(now) ?? now];
  const { name, mode } = await keptAs(stored);
  if (mode === 'act') {
    return err([
      `error: Outrigger scales cluster ${cluster} itself, or has no decision of a deployment that observes: there is no other autoscaler to compare with`,
    ]);
  }
  const [within, before] = await Promise.all([
    history.decisions(name, { since, until }, signal),
    history.decisions(name, { until: since, limit: LOOKED_BACK }, signal),
  ]);
  if (within.length === 0) {
    return err([
      `error: No decision of cluster ${cluster} is kept since ${formatTime(since)}: is the option decisionHistory 0, or was the cluster not evaluated?`,
    ]);
  }
  const decisions = [...within, ...before].toSorted((a, b) => a.at - b.at);
  const known = await fromScenarios(decisions, stored, name);
  const comparison = compare({ decisions, announced, ...known, since: firstOf(decisions, since), until });
  return ok({
    comparison,
    kind: 'Comparison',
    explanation: { cluster, ...comparison },
    text: (style) => tellComparison(printableData({ cluster, ...comparison }) as ClusterComparison, style),
  });
}

/** Nothing is known of the time before the first decision. */
const firstOf = (decisions: readonly HistoryDecision[], since: EpochMs): EpochMs =>
  Math.max(since, decisions[0]?.at ?? since) as EpochMs;

/** Since when pods are pending, and prices of node groups, from the scenarios of decisions. */
async function fromScenarios(
  decisions: readonly HistoryDecision[],
  { history, signal, warn }: ClusterStores,
  name: Parameters<ClusterStores['history']['get']>[0],
): Promise<{ readonly pendingSince: Map<PodKey, EpochMs>; readonly prices: Map<GroupName, number> }> {
  const [pendingSince, prices] = [new Map<PodKey, EpochMs>(), new Map<GroupName, number>()];
  const seen = new Set<PodKey>();
  const wanted = decisions.filter(({ decision, scenario }) => {
    const added = decision.scaleUp.pods.filter(({ outcome, pod }) => outcome === 'Triggered' && !seen.has(pod));
    added.forEach(({ pod }) => seen.add(pod));
    return scenario === 'kept' && added.length > 0;
  });
  const latest = decisions.findLast(({ scenario }) => scenario === 'kept');
  if (wanted.length > MOST_SCENARIOS) {
    warn(`seconds from pending to size are of the first ${MOST_SCENARIOS} of ${wanted.length} scale-ups`);
  }
  for (const { id } of presentItems([...wanted.slice(0, MOST_SCENARIOS), latest])) {
    const { scenario = null } = (await history.get(name, id, signal)) ?? {};
    for (const { namespace, name: pod, unscheduled, createdAt } of scenario?.objects.pods ?? []) {
      const key = podKey(namespace, pod);
      const since = unscheduled?.since ?? createdAt;
      if (since !== null && seen.has(key) && !pendingSince.has(key)) {
        pendingSince.set(key, since);
      }
    }
    for (const group of mapOptional(scenario, withStatedPrices)?.nodeGroups ?? []) {
      const { mean } = nodePricesOf(group);
      if (mean !== null) {
        prices.set(group.name, mean);
      }
    }
  }
  return { pendingSince, prices };
}
