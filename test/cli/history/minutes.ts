import { observePeriod } from '../../../cli/history/observe.ts';
import type { HistoryObservation, ObservedPeriod } from '../../../cli/history/observed.ts';
import type { Increase, Removal } from '../../../core/model/decision.ts';
import { groupName, nodeName, podKey } from '../../../core/model/values/names.ts';
import { type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { NOW, scenario, type ScenarioGiven } from '../../scenario-builders.ts';

/** A time, in minutes from noon. */
export const minute = (at: number): EpochMs => epochMs(NOW + minutes(at));

/** Minutes from noon, of a time that is known. */
export const inMinutes = (at: EpochMs | null): number | null => (at === null ? null : (at - NOW) / 60_000);

/** Orders of a decision, and the nodes that it found unneeded. */
export interface Ordered {
  readonly unneeded?: readonly string[];
  readonly removals?: readonly Removal[];
  readonly increases?: readonly Increase[];
}

/** An observation at a minute, with a decision that orders nothing else. */
export const seenAt = (
  at: number,
  { notices, ...given }: ScenarioGiven & { readonly notices?: NonNullable<HistoryObservation['scenario']>['notices'] },
  { unneeded = [], removals = [], increases = [] }: Ordered = {},
): HistoryObservation => ({
  at: minute(at),
  scenario: { ...scenario(given), now: minute(at), notices },
  decision: { scaleUp: { increases }, scaleDown: { unneeded: unneeded.map(nodeName), removals } },
});

/** The removal of a node of a group, from which these pods of namespace `default` move. */
export const removal = (node: string, group: string, ...pods: readonly string[]): Removal => ({
  node: nodeName(node),
  group: groupName(group),
  kind: pods.length === 0 ? 'empty' : 'drain',
  pods: pods.map((pod) => podKey('default', pod)),
  destinations: [],
});

export async function periodOf(...observations: readonly HistoryObservation[]): Promise<ObservedPeriod> {
  const period = await observePeriod(observations);
  if (period === null) {
    throw new Error('the observations are of one time');
  }
  return period;
}
