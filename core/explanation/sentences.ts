import type { EpochMs } from '../model/values/time.ts';
import { WHY_DRAIN_FAILED } from '../words/drain.ts';
import { POD_OUTCOMES } from '../words/outcomes.ts';
import { utilizationText } from '../words/utilization.ts';
import { sinceText, untilText } from '../words/when.ts';
import { zonalShiftText } from '../words/zonal-shifts.ts';
import { withPodReason } from '../words/why-node-stays.ts';
import type { DrainExplanation } from './drain.ts';
import type { GroupExplanation } from './group.ts';
import type { MonthToDate } from './month-to-date.ts';
import type { NodeStays, UnneededNode } from './node.ts';
import type { PodEviction, PodScaleUp, WaitingPods } from './pod.ts';
import type { PartStatus, ClusterStatus } from './status.ts';

// The sentences of a status, in the same words for `outrigger status` and the dashboard.

/** How a part of the evaluation has ended, when, and when it last changed something. */
export function partText(
  { decidedAt, meaning, message, lastChange }: PartStatus<string>,
  now: EpochMs,
  change: string,
): string {
  if (decidedAt === null) {
    return 'not evaluated yet';
  }
  return [
    `${meaning ?? 'no decision is stored any more'}${message === null ? '' : ` (${message})`}`,
    `evaluated at ${sinceText(decidedAt, now)}`,
    ...(lastChange === null ? [] : [`${change} at ${sinceText(lastChange, now)}`]),
  ].join('; ');
}

/** Names of the last changes by scale-up and by scale-down. */
export const LAST_CHANGE = { scaleUp: 'last node added', scaleDown: 'last node removed' } as const;

/** The nodes of the cluster by their readiness; `null` before the first evaluation. */
export function nodesText({ nodes, healthy }: Pick<ClusterStatus, 'nodes' | 'healthy'>): string | null {
  if (nodes === null) {
    return null;
  }
  return [
    `${nodes.ready} ready`,
    ...(nodes.notStarted > 0 ? [`${nodes.notStarted} starting`] : []),
    ...(nodes.unready > 0 ? [`${nodes.unready} not ready`] : []),
    ...(nodes.deleted > 0 ? [`${nodes.deleted} being removed`] : []),
    healthy === true ? 'the cluster is healthy' : 'the cluster is unhealthy',
  ].join(', ');
}

/** The rate of the nodes, what they have cost this month, and the forecast of the month. */
export function costText(cost: MonthToDate | null): string {
  if (cost === null) {
    return `not known: no node group has a price${STATE_PRICES}`;
  }
  const { usdPerHour, usd, forecast, hours, knownHours, unpriced, unpricedHours } = cost;
  const unknown = hours - knownHours;
  return [
    `${usdPerHour.toFixed(2)} USD per hour`,
    `${usd.toFixed(2)} USD this month`,
    `forecast of the month ${forecast.toFixed(0)} USD`,
    ...(unknown >= 1 ? [`the cost of ${unknown.toFixed(0)} of ${hours.toFixed(0)} hours is not known`] : []),
    ...(unpricedHours >= 0.05 || unpriced > 0
      ? [
          `not counted: ${unpriced} nodes without a known price, ${unpricedHours.toFixed(1)} hours this month${STATE_PRICES}`,
        ]
      : []),
  ].join('; ');
}

const STATE_PRICES = ' (state prices by the option prices, or by tags)';

/** The size of a node group, and what was decided. */
export const sizeText = ({ target, increase }: Pick<GroupExplanation, 'target' | 'increase'>): string =>
  increase === null ? String(target) : `${increase.from} → ${increase.to}`;

/** Why a node group cannot grow, and what is wrong with it; empty where there is nothing to say. */
export const troubleText = (
  { healthy, backoff, skipped, incorrectSize, repairs, zonalShifts }: GroupExplanation,
  now: EpochMs,
): string =>
  [
    ...(backoff === null ? [] : [`in backoff: ${backoff.why}, until ${untilText(backoff.until, now)}`]),
    // For a group in backoff, `skipped` would repeat the backoff.
    ...(skipped === null || (skipped.reason === 'BackedOff' && backoff !== null) ? [] : [skipped.why]),
    ...(healthy || skipped?.reason === 'Unhealthy' ? [] : ['unhealthy']),
    // For a group that is skipped because of a zonal shift, the shift is named already.
    ...(skipped?.reason === 'ZonalShift'
      ? []
      : zonalShifts.map((shift) => `shifted away from ${zonalShiftText(shift, now)}`)),
    ...(incorrectSize === null ? [] : [`${incorrectSize.current} instead of ${incorrectSize.expected} nodes`]),
    ...repairs,
  ].join('; ');

/** The outcome of pods, in words. */
export const outcomeText = ({ outcome, group }: Pick<WaitingPods, 'outcome' | 'group'>): string =>
  `${POD_OUTCOMES[outcome].short}${group === null ? '' : ` of ${group}`}`;

/** Since when a node is unneeded, and why it is still there. */
export const unneededText = (
  { since, utilization, why }: Pick<UnneededNode, 'since' | 'utilization' | 'why'>,
  now: EpochMs,
): string =>
  [
    ...(since === null ? [] : [`since ${sinceText(since, now)}`]),
    ...(utilization === null ? [] : [utilizationText(utilization)]),
    ...(why === null ? [] : [`at the last decision: ${why}`]),
  ].join('; ');

/** Why a node stays, with the reason of the pod that keeps it. */
export const staysText = ({ reason, why, podReason }: NodeStays): string =>
  `${reason}: ${withPodReason(why, podReason)}`;

/** How the node group of a pod grows, after its name: `, from 1 to 2`; empty where it does not. */
export const growthText = ({ increase }: Pick<PodScaleUp, 'increase'>): string =>
  increase === null ? '' : `, from ${increase.from} to ${increase.to}`;

/** How the eviction of a pod gets on. */
export function evictionText({ firstTriedAt, evictedAt, goneAt, refusal }: PodEviction, now: EpochMs): string {
  if (goneAt !== null) {
    return `gone since ${sinceText(goneAt, now)}`;
  }
  if (evictedAt !== null) {
    return `evicted at ${sinceText(evictedAt, now)}`;
  }
  return `tried since ${sinceText(firstTriedAt, now)}${refusal === null ? '' : `: ${refusal}`}`;
}

/** A drain in lines: the current work, its start, the reason that blocks the drain, and the outcome. */
export function drainLines(drain: DrainExplanation, now: EpochMs): readonly string[] {
  const { phase, doing, phaseSince, waitsFor, pods, refused, outcome } = drain;
  const failure = outcome?.kind === 'rolledBack' ? outcome : null;
  const cause = failure === null || failure.pod === null ? '' : `pod ${failure.pod}: `;
  return [
    `${phase}: ${doing}, since ${sinceText(phaseSince, now)}`,
    ...(pods.asked === 0 ? [] : [`${pods.gone} of ${pods.asked} evicted pods are gone`]),
    ...(waitsFor === null ? [] : [`waits for: ${waitsFor}`]),
    ...refused.map(({ pod, refusal }) => `pod ${pod} was not evicted: ${refusal}`),
    ...(failure === null ? [] : [`${WHY_DRAIN_FAILED[failure.failure].short}: ${cause}${failure.message}`]),
  ];
}
