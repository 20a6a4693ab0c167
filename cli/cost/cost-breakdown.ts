import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { addCount } from '@outrigger/core/model/values/counts.ts';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { referencePrice } from '@outrigger/core/nodegroups/cost.ts';
import { nodeStretches, type StretchOfNode, timeOn } from '../backtest/node-stretches.ts';
import type { ObservedPeriod, ObservedPod } from '../history/observed.ts';
import type { CostKey } from './cost-key.ts';

/** Cost in USD. */
export interface CostRow {
  readonly name: string;
  readonly usd: number;
  /** The part of it that no pod asked for; 0 in rows of pods. */
  readonly idle: number;
}

/** Costs of the nodes of a period, and their division. */
export interface CostBreakdown {
  readonly usd: number;
  /** The cost of room that no pod requested but those of DaemonSets. */
  readonly idle: number;
  /** The dearest first. Rows of nodes add up to `usd`, rows of pods to `usd` without `idle`. */
  readonly rows: readonly CostRow[];
  readonly nodeHours: number;
  /** Hours of nodes without a known price, which are in no other figure. */
  readonly unpricedHours: number;
}

const HOUR = 3_600;
const WITHOUT = '(none)';

/**
 * Divides the cost of each node among its pods by what they request, for as long as they are on it. CPU, memory and GPUs count by
 * Cluster Autoscaler's reference prices. The rest of a node is idle.
 */
export function costBreakdownOf(period: ObservedPeriod, key: CostKey): CostBreakdown {
  const usd = new Map<string, number>();
  const idle = new Map<string, number>();
  const podsOn = Map.groupBy(period.pods, ({ node }) => node);
  const sums = { usd: 0, idle: 0, nodeHours: 0, unpricedHours: 0 };
  for (const stretch of nodeStretches(period)) {
    const hours = (stretch.to - stretch.from) / HOUR;
    const { group } = stretch;
    const price = getOptional(period.prices, group) ?? null;
    if (group === null || price === null) {
      sums.unpricedHours += hours;
      continue;
    }
    const cost = price * hours;
    const shares = sharesOf(stretch, podsOn.get(stretch.node.name) ?? [], period);
    const asked = shares.reduce((sum, { share }) => sum + share, 0);
    // Ends of pods are estimates: two pods may seem to have had the same room.
    const unused = cost * Math.max(0, 1 - asked);
    sums.usd += cost;
    sums.idle += unused;
    sums.nodeHours += hours;
    if (key.of === 'node' || key.of === 'node-group') {
      const name = key.of === 'node' ? stretch.node.name : group;
      addCount(usd, name, cost);
      addCount(idle, name, unused);
    } else {
      for (const { pod, share } of shares) {
        addCount(usd, nameOf(pod, key), cost * (share / Math.max(1, asked)));
      }
    }
  }
  const rows = [...usd].map(([name, amount]): CostRow => ({ name, usd: amount, idle: idle.get(name) ?? 0 }));
  return { ...sums, rows: rows.toSorted((a, b) => b.usd - a.usd || byName(a.name, b.name)) };
}

interface PodShare {
  readonly pod: ObservedPod;
  /** Part of the cost of its node, over the whole time of the node. */
  readonly share: number;
}

function sharesOf(stretch: StretchOfNode, pods: readonly ObservedPod[], period: ObservedPeriod): readonly PodShare[] {
  const whole = referencePrice(stretch.node.allocatable);
  return pods
    .map((pod) => ({ pod, ...timeOn(pod, stretch, period) }))
    .filter(({ from, to }) => whole > 0 && to > from)
    .map(({ pod, from, to }) => ({
      pod,
      share: (referencePrice(podRequests(pod.pod)) / whole) * ((to - from) / (stretch.to - stretch.from)),
    }));
}

const nameOf = ({ pod }: ObservedPod, key: CostKey): string =>
  key.of === 'label' ? (pod.labels[key.label] ?? WITHOUT) : pod.namespace;
