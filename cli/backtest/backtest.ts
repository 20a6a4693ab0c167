import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { awaitingPods } from '@outrigger/simulation/load/awaiting-pods.ts';
import type { ObservedPeriod } from '../history/observed.ts';
import type { ReplaySettings } from '../replay/settings.ts';
import { type PeriodFigures, countPeriod, hoursOfGroup } from './figures.ts';
import { type HistoryLoad, loadOf } from './load-of.ts';
import { type Peer, underPeer } from './peer.ts';
import { playAll } from './play.ts';

/** The same period three times: as it was, simulated with its own options, and simulated with others. */
export interface Backtest {
  readonly period: ObservedPeriod;
  readonly history: PeriodFigures;
  readonly base: PeriodFigures;
  /** `null` where neither a peer nor an option was asked for. */
  readonly other: PeriodFigures | null;
  readonly groups: readonly BacktestedGroup[];
  readonly played: HistoryLoad;
}

export interface BacktestedGroup {
  readonly group: GroupName;
  /** USD per hour of one node, in the mean of the base run. */
  readonly price: number | null;
  readonly nodeHours: { readonly history: number; readonly base: number; readonly other: number | null };
}

export interface BacktestRequest {
  readonly name: string;
  readonly seed: number;
  readonly settings: ReplaySettings;
  /** The autoscaler that the other run follows; `null`: Outrigger. */
  readonly peer: Peer | null;
  /** Is told the run and the virtual time again and again, in seconds from the start. */
  readonly onTime: (run: 'base' | 'other', seconds: number) => void;
}

/** Plays a period with its own options and, on request, with others or by the rules of another autoscaler. */
export async function backtest(
  period: ObservedPeriod,
  { name, seed, settings, peer, onTime }: BacktestRequest,
): Promise<Backtest> {
  const played = loadOf(period, name, seed);
  const { load, fixed } = played;
  const history = countPeriod(period, played);
  const asked = underPeer(played, peer);
  const isAsked = peer !== null || Object.keys(settings).length > 0;
  const loads = [load, ...(isAsked ? [{ ...asked, options: { ...asked.options, ...settings } }] : [])];
  const runs = await playAll(
    loads.map((one) => ({ load: awaitingPods(one), fixed })),
    period.last.provider,
    (index, seconds) => onTime(index === 0 ? 'base' : 'other', seconds),
  );
  const base = firstItem(runs);
  const other = runs[1] ?? null;
  const { prices } = base.cost;
  // A peer may have other groups than the cluster: those with nodes count.
  const addedGroups = [...(other?.cost.prices ?? [])].filter(
    ([group]) => other !== null && !prices.has(group) && hoursOfGroup(other, group) > 0,
  );
  return {
    period,
    history,
    base,
    other,
    played,
    groups: [...prices, ...addedGroups].map(([group, price]) => ({
      group,
      price,
      nodeHours: {
        history: hoursOfGroup(history, group),
        base: hoursOfGroup(base, group),
        other: mapOptional(other, (figures) => hoursOfGroup(figures, group)),
      },
    })),
  };
}
