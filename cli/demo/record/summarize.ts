import { livesOf } from './lives.ts';
import {
  type BudgetSummary,
  type Entry,
  handle,
  type Handlers,
  type Percentiles,
  type RecordedGroup,
  type Summary,
} from './recording.ts';

export interface SummaryInput {
  readonly end: Summary['end'];
  readonly seconds: number;
  readonly groups: readonly RecordedGroup[];
  readonly timeline: readonly Entry[];
  readonly stuck: Summary['stuck'];
  readonly staying: Summary['staying'];
}

/** Summarizes a run. */
export function summarize(input: SummaryInput): Summary {
  const { end, seconds, timeline, stuck, staying } = input;
  const waitingSince = new Map<string, number>();
  const placed = new Set<string>();
  const toRunning: number[] = [];
  let created = 0;
  const onEntry: Handlers<void> = {
    PodCreated: () => {
      created += 1;
    },
    PodUnschedulable: ({ pod, at }) => {
      waitingSince.set(pod, at);
    },
    PodRunning: ({ pod, at }) => {
      placed.add(pod);
      const since = waitingSince.get(pod);
      if (since !== undefined) {
        toRunning.push(at - since);
      }
    },
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return {
    end,
    seconds,
    pods: {
      created,
      placed: placed.size,
      pending: stuck.reduce((sum, { pods }) => sum + pods, 0),
      waited: waitingSince.size,
    },
    pendingToDecision: percentiles(
      timeline.flatMap((entry) => (entry.kind === 'Decision' ? (entry.waited ?? []) : [])),
    ),
    pendingToRunning: percentiles(toRunning),
    ...instancesOf(input),
    ...disruptionsOf(timeline),
    stuck,
    staying,
  };
}

type OfInstances = Pick<Summary, 'nodes' | 'nodeHours' | 'cost' | 'hourly' | 'withoutScaleDown'>;

/** Counts instances from their launch, as they are billed. */
function instancesOf({ groups, timeline, seconds: end }: SummaryInput): OfInstances {
  const prices = new Map(groups.map(({ name, price }) => [name, price]));
  const lives = livesOf({ nodeGroups: groups, timeline }, end);
  const hours = lives.map(({ group, launched, gone }) => ({
    price: prices.get(group) ?? null,
    paid: ((gone ?? end) - (launched ?? 0)) / 3_600,
    kept: (end - (launched ?? 0)) / 3_600,
  }));
  const starting = lives.filter(({ launched }) => launched === null);
  let now = starting.length;
  let most = now;
  let hourly = starting.reduce((sum, { group }) => sum + (prices.get(group) ?? 0), 0);
  let highest = hourly;
  const changes = lives.flatMap(({ group, launched, gone }) => [
    ...(launched === null ? [] : [{ at: launched, by: 1, price: prices.get(group) ?? 0 }]),
    ...(gone === null ? [] : [{ at: gone, by: -1, price: prices.get(group) ?? 0 }]),
  ]);
  for (const { by, price } of changes.toSorted((a, b) => a.at - b.at)) {
    now += by;
    most = Math.max(most, now);
    hourly += by * price;
    highest = Math.max(highest, hourly);
  }
  const known = hours.every(({ price }) => price !== null);
  const total = (of: 'paid' | 'kept') => ({
    nodeHours: round(
      hours.reduce((sum, one) => sum + one[of], 0),
      3,
    ),
    cost: known
      ? round(
          hours.reduce((sum, one) => sum + one[of] * one.price!, 0),
          4,
        )
      : null,
  });
  const removed = (kind: 'empty' | 'drain'): number => lives.filter(({ removal }) => removal?.kind === kind).length;
  return {
    nodes: {
      start: starting.length,
      end: now,
      most,
      bought: lives.length - starting.length,
      empty: removed('empty'),
      drained: removed('drain'),
    },
    ...total('paid'),
    hourly: known ? { most: round(highest, 4), end: round(hourly, 4) } : null,
    withoutScaleDown: total('kept'),
  };
}

/** Checks the available pods after each eviction, independently of the API server's budgets. */
function disruptionsOf(timeline: readonly Entry[]): Pick<Summary, 'evictions' | 'budgets'> {
  const available = new Map<string, Set<string>>();
  const budgets = new Map<string, BudgetSummary>();
  let pods = 0;
  let refused = 0;
  const of = (workload: string): Set<string> => {
    const known = available.get(workload) ?? new Set();
    available.set(workload, known);
    return known;
  };
  const onEntry: Handlers<void> = {
    Load: ({ step, subject, minAvailable }) => {
      if (minAvailable !== null && (step === 'deploy' || step === 'job')) {
        budgets.set(subject, { workload: subject, minAvailable, evictions: 0, fewest: null });
      }
    },
    PodRunning: ({ pod, workload }) => void of(workload).add(pod),
    PodFinished: ({ pod, workload }) => void of(workload).delete(pod),
    PodDeleted: ({ pod, workload }) => void of(workload).delete(pod),
    PodEvicted: ({ pod, workload }) => {
      pods += 1;
      // A pod that has not run is not missed.
      const missed = of(workload).delete(pod);
      const budget = budgets.get(workload);
      if (budget !== undefined && missed) {
        const fewest = Math.min(budget.fewest ?? Number.POSITIVE_INFINITY, of(workload).size);
        budgets.set(workload, { ...budget, evictions: budget.evictions + 1, fewest });
      }
    },
    EvictionRefused: () => {
      refused += 1;
    },
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return { evictions: { pods, refused }, budgets: [...budgets.values()] };
}

/** By nearest rank; `null` of nothing. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!, 3);
  return sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
