import { getExisting, itemAt } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { type Life, livesOf } from './lives.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';
import { amountOf } from '@outrigger/providers/manifest/amounts.ts';
import {
  type BudgetSummary,
  type TimelineEntry,
  handle,
  type Handlers,
  type Percentiles,
  type RecordingGroup,
  type Summary,
} from './recording.ts';

interface SummaryInput {
  readonly end: Summary['end'];
  readonly seconds: number;
  readonly groups: readonly RecordingGroup[];
  readonly timeline: readonly TimelineEntry[];
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
      timeline
        .filter((entry) => entry.kind === 'Decision')
        .map(({ waited }) => waited)
        .filter((waited) => waited !== null),
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
  const priceOf = (group: string): number => prices.get(group) ?? 0;
  const lives = livesOf({ nodeGroups: groups, timeline }, end);
  const start = lives.filter(({ launched }) => launched === null).length;
  let [now, most, hourly, highest] = [0, 0, 0, 0];
  for (const { by, group } of changesOf(lives)) {
    now += by;
    most = Math.max(most, now);
    hourly += by * priceOf(group);
    highest = Math.max(highest, hourly);
  }
  const known = lives.every(({ group }) => (prices.get(group) ?? null) !== null);
  const total = (hours: ReadonlyMap<string, number>) => ({
    nodeHours: round(sumOf(hours.values()), 3),
    cost: known ? round(sumOf(hours.entries().map(([group, each]) => each * priceOf(group))), 4) : null,
  });
  const removed = (kind: 'empty' | 'drain'): number => lives.filter(({ removal }) => removal?.kind === kind).length;
  return {
    nodes: {
      start,
      end: now,
      most,
      bought: lives.length - start,
      warm: groups.some(({ warmPool }) => warmPool !== undefined)
        ? timeline.filter(({ kind }) => kind === 'WarmInstanceTaken').length
        : undefined,
      empty: removed('empty'),
      drained: removed('drain'),
    },
    ...total(hoursOf(lives, end, (size) => size)),
    hourly: known ? { most: round(highest, 4), end: round(hourly, 4) } : null,
    // A group that never shrinks needs a new node only beyond its largest size so far.
    withoutScaleDown: total(hoursOf(lives, end, Math.max)),
  };
}

interface SizeChange {
  readonly at: number;
  readonly by: number;
  readonly group: string;
}

/** Launches and terminations, in the order of time: first the instances of the start. */
const changesOf = (lives: readonly Life[]): readonly SizeChange[] =>
  lives
    .flatMap(({ group, launched, gone }): readonly SizeChange[] => [
      { at: launched ?? 0, by: 1, group },
      ...(gone === null ? [] : [{ at: gone, by: -1, group }]),
    ])
    .toSorted((a, b) => a.at - b.at);

/**
 * The node-hours of each group until the end.
 *
 * @param paid the number of nodes that are paid for, of the present size and of that before.
 */
function hoursOf(
  lives: readonly Life[],
  end: number,
  paid: (size: number, before: number) => number,
): ReadonlyMap<string, number> {
  const groups = new Map<string, { size: number; paid: number; since: number; hours: number }>();
  const change = (group: string, by: number, at: number): void => {
    const one = getOrMake(groups, group, () => ({ size: 0, paid: 0, since: 0, hours: 0 }));
    one.hours += (one.paid * (at - one.since)) / 3_600;
    one.since = at;
    one.size += by;
    one.paid = paid(one.size, one.paid);
  };
  for (const { group, by, at } of changesOf(lives)) {
    change(group, by, at);
  }
  for (const group of groups.keys()) {
    change(group, 0, end);
  }
  return new Map([...groups].map(([group, { hours }]) => [group, hours]));
}

const sumOf = (numbers: IteratorObject<number>): number => numbers.reduce((sum, one) => sum + one, 0);

/** Checks the available pods after each eviction, independently of the API server's budgets. */
function disruptionsOf(timeline: readonly TimelineEntry[]): Pick<Summary, 'evictions' | 'budgets'> {
  const available = new Map<string, Set<string>>();
  const budgets = new Map<string, BudgetSummary>();
  const jobs = new Map<string, number>();
  const running = new Map<string, number>();
  /** The pods that each budget requires now: for a percentage, the requirement follows the number of pods. */
  const needed = new Map<string, number>();
  const lost = { pods: 0, coreSeconds: 0 };
  let pods = 0;
  let refused = 0;
  const of = (workload: string): Set<string> => getOrMake(available, workload, () => new Set());
  const onEntry: Handlers<void> = {
    Load: ({ step, subject, minAvailable, requests }) => {
      if (step === 'job') {
        jobs.set(subject, (amountOf(CPU, requests[CPU] ?? '0') ?? 0) / 1_000);
      }
      if (minAvailable !== null && (step === 'deploy' || step === 'job')) {
        budgets.set(subject, { workload: subject, minAvailable, evictions: 0, fewest: null });
      }
      needed.set(subject, minAvailable ?? 0);
    },
    PodRunning: ({ pod, workload, at }) => {
      of(workload).add(pod);
      running.set(pod, at);
    },
    PodFinished: ({ pod, workload }) => void of(workload).delete(pod),
    PodDeleted: ({ pod, workload }) => void of(workload).delete(pod),
    PodEvicted: ({ pod, workload, at }) => {
      pods += 1;
      const since = running.get(pod);
      const cores = jobs.get(workload);
      if (cores !== undefined && since !== undefined) {
        lost.pods += 1;
        lost.coreSeconds += (at - since) * cores;
      }
      // A pod that has not run is not missed.
      const missed = of(workload).delete(pod);
      const budget = budgets.get(workload);
      if (budget !== undefined && missed) {
        const minAvailable = getExisting(needed, workload);
        const fewest = of(workload).size;
        const closest = budget.fewest === null || fewest - minAvailable < budget.fewest - budget.minAvailable;
        const counted = { ...budget, evictions: budget.evictions + 1 };
        budgets.set(workload, closest ? { ...counted, minAvailable, fewest } : counted);
      }
    },
    EvictionRefused: () => {
      refused += 1;
    },
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return {
    evictions: { pods, refused, ofJobs: lost.pods, lostCoreHours: round(lost.coreSeconds / 3_600, 3) },
    budgets: [...budgets.values()],
  };
}

/** By nearest rank; `null` of nothing. */
export function percentiles(values: readonly number[]): Percentiles | null {
  if (values.length === 0) {
    return null;
  }
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => round(itemAt(sorted, Math.ceil(share * sorted.length) - 1), 3);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
