import type { DrainOutcome } from '../model/drain.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
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
import type { UnremovableNode, UnneededNode } from './node.ts';
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
  return presentItems([
    `${meaning ?? 'no decision is stored any more'}${mapOptional(message, (text) => ` (${text})`) ?? ''}`,
    `evaluated at ${sinceText(decidedAt, now)}`,
    mapOptional(lastChange, (at) => `${change} at ${sinceText(at, now)}`),
  ]).join('; ');
}

/** Names of the last changes by scale-up and by scale-down. */
export const LAST_CHANGE = { scaleUp: 'last node added', scaleDown: 'last removal' } as const;

/** The nodes of the cluster by their readiness; `null` before the first evaluation. */
export function nodesText({ nodes, healthy }: Pick<ClusterStatus, 'nodes' | 'healthy'>): string | null {
  if (nodes === null) {
    return null;
  }
  return presentItems([
    `${nodes.ready} ready`,
    nodes.notStarted > 0 && `${nodes.notStarted} starting`,
    nodes.unready > 0 && `${nodes.unready} not ready`,
    nodes.deleted > 0 && `${nodes.deleted} being removed`,
    `the cluster is ${healthy === true ? 'healthy' : 'unhealthy'}`,
  ]).join(', ');
}

/** The rate of the nodes, what they have cost this month, and the forecast of the month. */
export function costText(cost: MonthToDate | null): string {
  if (cost === null) {
    return `not known: no node group has a price${STATE_PRICES}`;
  }
  const { usdPerHour, usd, forecast, hours, knownHours, unpriced, unpricedHours } = cost;
  const unknown = hours - knownHours;
  return presentItems([
    `${usdPerHour.toFixed(2)} USD per hour`,
    `${usd.toFixed(2)} USD this month`,
    `forecast of the month ${forecast.toFixed(0)} USD`,
    unknown >= 1 && `the cost of ${unknown.toFixed(0)} of ${hours.toFixed(0)} hours is not known`,
    (unpricedHours >= 0.05 || unpriced > 0) &&
      `not counted: ${unpriced} nodes without a known price, ${unpricedHours.toFixed(1)} hours this month${STATE_PRICES}`,
  ]).join('; ');
}

const STATE_PRICES = ' (state prices by the option prices, or by tags)';

/** The size of a node group, and what was decided. */
export const sizeText = ({ target, increase }: Pick<GroupExplanation, 'target' | 'increase'>): string =>
  mapOptional(increase, ({ from, to }) => `${from} → ${to}`) ?? String(target);

/** Why a node group cannot grow, and what is wrong with it; empty where there is nothing to say. */
export function troubleText(
  { healthy, backoff, skipped, incorrectSize, repairs, zonalShifts }: GroupExplanation,
  now: EpochMs,
): string {
  const reason = skipped?.reason;
  return presentItems([
    mapOptional(backoff, ({ why, until }) => `in backoff: ${why}, until ${untilText(until, now)}`),
    // For a group in backoff, `skipped` would repeat the backoff.
    !(reason === 'BackedOff' && backoff !== null) && skipped?.why,
    !healthy && reason !== 'Unhealthy' && 'unhealthy',
    // For a group that is skipped because of a zonal shift, the shift is named already.
    ...zonalShifts.map((shift) => reason !== 'ZonalShift' && `shifted away from ${zonalShiftText(shift, now)}`),
    mapOptional(incorrectSize, ({ current, expected }) => `${current} instead of ${expected} nodes`),
    ...repairs,
  ]).join('; ');
}

/** The outcome of pods, in words. */
export const outcomeText = ({ outcome, group }: Pick<WaitingPods, 'outcome' | 'group'>): string =>
  presentItems([POD_OUTCOMES[outcome].short, group]).join(' of ');

/** Since when a node is unneeded, and why it is still there. */
export const unneededText = (
  { since, utilization, why }: Pick<UnneededNode, 'since' | 'utilization' | 'why'>,
  now: EpochMs,
): string =>
  presentItems([
    mapOptional(since, (time) => `since ${sinceText(time, now)}`),
    mapOptional(utilization, utilizationText),
    mapOptional(why, (text) => `at the last decision: ${text}`),
  ]).join('; ');

/** Why a node stays, with the reason of the pod that keeps it. */
export const staysText = ({ reason, why, podReason }: UnremovableNode): string =>
  `${reason}: ${withPodReason(why, podReason)}`;

/** How the node group of a pod grows, after its name: `, from 1 to 2`; empty where it does not. */
export const growthText = ({ increase }: Pick<PodScaleUp, 'increase'>): string =>
  mapOptional(increase, ({ from, to }) => `, from ${from} to ${to}`) ?? '';

/** How the eviction of a pod gets on. */
export function evictionText({ firstTriedAt, evictedAt, goneAt, refusal }: PodEviction, now: EpochMs): string {
  if (goneAt !== null) {
    return `gone since ${sinceText(goneAt, now)}`;
  }
  if (evictedAt !== null) {
    return `evicted at ${sinceText(evictedAt, now)}`;
  }
  return presentItems([`tried since ${sinceText(firstTriedAt, now)}`, refusal]).join(': ');
}

/** A drain in lines: the current work, its start, the reason that blocks the drain, and the outcome. */
export function drainLines(drain: DrainExplanation, now: EpochMs): readonly string[] {
  const { phase, doing, phaseSince, waitsFor, pods, refused, outcome } = drain;
  return presentItems([
    `${phase}: ${doing}, since ${sinceText(phaseSince, now)}`,
    pods.asked > 0 && `${pods.gone} of ${pods.asked} evicted pods are gone`,
    mapOptional(waitsFor, (text) => `waits for: ${text}`),
    ...refused.map(({ pod, refusal }) => `pod ${pod} was not evicted: ${refusal}`),
    outcome?.kind === 'rolledBack' && failureText(outcome),
  ]);
}

const failureText = ({ failure, pod, message }: Extract<DrainOutcome, { readonly kind: 'rolledBack' }>): string =>
  presentItems([WHY_DRAIN_FAILED[failure].short, mapOptional(pod, (name) => `pod ${name}`), message]).join(': ');
