import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import { type Entry, handle, type Handlers, type Percentiles, type Summary } from './recording.ts';

export interface SummaryInput {
  readonly end: Summary['end'];
  readonly seconds: number;
  readonly groups: readonly ScalingGroup[];
  readonly timeline: readonly Entry[];
  readonly stuck: Summary['stuck'];
}

/** Adds a run up. */
export function summarise({ end, seconds, groups, timeline, stuck }: SummaryInput): Summary {
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
  const nodes = nodesOf(groups, timeline, seconds);
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
    ...nodes,
    stuck,
  };
}

/** Counts machines from their launch, as they are paid. */
function nodesOf(
  groups: readonly ScalingGroup[],
  timeline: readonly Entry[],
  end: number,
): Pick<Summary, 'nodes' | 'nodeHours' | 'cost'> {
  const start = groups.reduce((sum, { desiredSize }) => sum + desiredSize, 0);
  const hours = new Map(groups.map(({ name, desiredSize }) => [name, (desiredSize * end) / 3_600]));
  let now = start;
  let most = start;
  for (const entry of timeline) {
    if (entry.kind === 'InstanceLaunched' || entry.kind === 'NodeGone') {
      const sign = entry.kind === 'NodeGone' ? -1 : 1;
      now += sign;
      most = Math.max(most, now);
      hours.set(entry.group, hours.get(entry.group)! + (sign * (end - entry.at)) / 3_600);
    }
  }
  let nodeHours = 0;
  let cost: number | null = 0;
  for (const { name, price } of groups) {
    const used = hours.get(name)!;
    nodeHours += used;
    cost = price === null && used > 0 ? null : cost === null ? null : cost + used * (price ?? 0);
  }
  return {
    nodes: { start, end: now, most },
    nodeHours: round(nodeHours, 3),
    cost: cost === null ? null : round(cost, 4),
  };
}

/** By nearest rank; `null` of nothing. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!, 3);
  return sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
