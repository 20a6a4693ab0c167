import { readable } from '../model/fault.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';
import { mapOptional } from '../model/values/optional.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { type Shortage, type State, STATE_ORDER, withoutDeletions } from '../model/state.ts';
import { addTime } from '../model/values/time.ts';
import { offeringOf, SHORTAGE_TIME } from '../registry/shortages.ts';
import type { Departure } from './departures.ts';

/**
 * The scenario in which these nodes are being removed: they are no place for pods, and their pods are planned for as
 * pods that wait. Where the cloud takes a Spot instance back, its type and zone are the last resort for others.
 */
export function withDepartures(scenario: Scenario, departures: readonly Departure[]): Scenario {
  if (departures.length === 0) {
    return scenario;
  }
  const { state, now } = scenario;
  const begun = departures.map(({ node, group }) => ({ node, group, kind: 'drain' as const, since: now }));
  const deletionsInProgress = sortedBy([...state.deletionsInProgress, ...begun], STATE_ORDER.deletionsInProgress);
  return { ...scenario, state: { ...state, deletionsInProgress, shortages: shortagesAfter(scenario, departures) } };
}

/** The scenario in which these nodes are cordoned. */
export function withCordons(scenario: Scenario, cordoned: ReadonlySet<NodeName>): Scenario {
  if (cordoned.size === 0) {
    return scenario;
  }
  const { objects } = scenario;
  const nodes = objects.nodes.map((node) => (cordoned.has(node.name) ? { ...node, unschedulable: true } : node));
  return { ...scenario, objects: { ...objects, nodes } };
}

/** The state without these removals, which are not begun: by scale-down, which leaves them to scale-up, or not yet. */
export const withoutDepartures = (state: State, departures: readonly Departure[]): State =>
  withoutDeletions(state, new Set(departures.map(({ node }) => node)));

function shortagesAfter(
  { state, now, objects, nodeGroups }: Scenario,
  departures: readonly Departure[],
): State['shortages'] {
  const interrupted = new Map(
    departures.filter(({ notice }) => notice === 'SpotInterruption').map(({ node, group }) => [node, group] as const),
  );
  const purchaseOption = new Map(nodeGroups.map(({ name, capacityType }) => [name, capacityType]));
  const byOffering = new Map(state.shortages.map((shortage) => [STATE_ORDER.shortages(shortage), shortage]));
  for (const node of objects.nodes) {
    const group = interrupted.get(node.name);
    const offering = mapOptional(group, (name) =>
      readable(() => offeringOf(node, purchaseOption.get(name) ?? null), null),
    );
    if (offering !== undefined && offering !== null) {
      const shortage: Shortage = { ...offering, until: addTime(now, SHORTAGE_TIME), lastResort: true };
      const known = byOffering.get(STATE_ORDER.shortages(shortage));
      // A launch that has failed says more than an interruption.
      if (known === undefined || known.lastResort === true || known.until <= now) {
        byOffering.set(STATE_ORDER.shortages(shortage), shortage);
      }
    }
  }
  return sortedBy([...byOffering.values()], STATE_ORDER.shortages);
}
