import { readable } from '../model/fault.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { type Shortage, type State, STATE_ORDER } from '../model/state.ts';
import { addTime } from '../model/values/time.ts';
import { offeringOf, SHORTAGE_TIME } from '../registry/shortages.ts';
import type { Departure } from './departures.ts';

/**
 * The scenario in which these nodes are being removed: they are no place for pods, and their pods are planned for as
 * pods that wait. Where the cloud takes a Spot instance back, its type and zone are the last resort for others.
 */
export const withDepartures = (scenario: Scenario, departures: readonly Departure[]): Scenario =>
  departures.length === 0
    ? scenario
    : {
        ...scenario,
        state: {
          ...scenario.state,
          deletionsInProgress: sortedBy(
            [
              ...scenario.state.deletionsInProgress,
              ...departures.map(({ node, group }) => ({ node, group, kind: 'drain' as const, since: scenario.now })),
            ],
            STATE_ORDER.deletionsInProgress,
          ),
          shortages: shortagesAfter(scenario, departures),
        },
      };

/** The scenario in which these nodes are cordoned. */
export const withCordons = (scenario: Scenario, cordoned: ReadonlySet<NodeName>): Scenario =>
  cordoned.size === 0
    ? scenario
    : {
        ...scenario,
        objects: {
          ...scenario.objects,
          nodes: scenario.objects.nodes.map((node) =>
            readable(() => cordoned.has(node.name), false) ? { ...node, unschedulable: true } : node,
          ),
        },
      };

/** The state without these removals, which are not begun: by scale-down, which leaves them to scale-up, or not yet. */
export function withoutDepartures(state: State, departures: readonly Departure[]): State {
  const leaving = new Set(departures.map(({ node }) => node));
  return leaving.size === 0
    ? state
    : { ...state, deletionsInProgress: state.deletionsInProgress.filter(({ node }) => !leaving.has(node)) };
}

function shortagesAfter(
  { state, now, objects, nodeGroups }: Scenario,
  departures: readonly Departure[],
): State['shortages'] {
  const interrupted = new Map(
    departures.flatMap(({ node, notice, group }) => (notice === 'SpotInterruption' ? [[node, group] as const] : [])),
  );
  const purchaseOption = new Map(nodeGroups.map(({ name, capacityType }) => [name, capacityType]));
  const byOffering = new Map(state.shortages.map((shortage) => [STATE_ORDER.shortages(shortage), shortage]));
  for (const node of objects.nodes) {
    const group = readable(() => interrupted.get(node.name), undefined);
    const offering =
      group === undefined ? null : readable(() => offeringOf(node, purchaseOption.get(group) ?? null), null);
    if (offering !== null) {
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
