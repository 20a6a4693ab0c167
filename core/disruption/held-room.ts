import { askerText } from '../headroom/held.ts';
import type { ScaleUpDecision } from '../model/decision.ts';

/** The virtual pods of one that asks for room, in numbers. */
interface Row {
  readonly asker: string;
  readonly wanted: number;
  /** On nodes that are there, on their way, or added. */
  readonly served: number;
  /** On nodes that are there. */
  readonly there: number;
}

/** What a plan has for virtual pods: those of a ProvisioningRequest for which room is looked for have all or none. */
const rowsOf = ({ headroom = [], provisioningRequests = [] }: ScaleUpDecision): readonly Row[] => [
  ...headroom.map(({ source, name, wanted, fits, upcoming = 0, triggered }): Row => ({
    asker: askerText({ source, name }),
    wanted,
    served: fits + triggered,
    there: fits - upcoming,
  })),
  ...provisioningRequests.flatMap(({ name, outcome, wanted, fits, upcoming = 0 }): readonly Row[] => {
    const asker = askerText({ source: 'ProvisioningRequest', name });
    switch (outcome) {
      case 'Booked':
        return [{ asker, wanted, served: fits, there: fits - upcoming }];
      case 'CapacityIsFound':
      case 'CapacityIsProvisioned':
        return [{ asker, wanted, served: wanted, there: 0 }];
      case 'CapacityIsNotFound':
        return [{ asker, wanted, served: 0, there: 0 }];
      case 'CapacityBookingConsumed':
      case 'CapacityReservationTimeExpired':
      case 'Expired':
      case 'FailedToBookCapacity':
      case 'FailedToCreatePods':
      case 'Waiting':
        return [];
    }
  }),
];

/** Have all virtual pods room with this plan? */
export const isRoomServed = (plan: ScaleUpDecision): boolean =>
  rowsOf(plan).every(({ wanted, served }) => served >= wanted);

/** Is all of it on nodes that are there? */
export const isRoomThere = (plan: ScaleUpDecision): boolean =>
  rowsOf(plan).every(({ wanted, there }) => there >= wanted);

/** What has less room with one plan than with the other; `null`: nothing. */
export const lessServed = (plan: ScaleUpDecision, other: ScaleUpDecision): string | null =>
  less(rowsOf(plan), rowsOf(other), ({ served }) => served);

/** The same, of room on nodes that are there. */
export const lessThere = (plan: ScaleUpDecision, other: ScaleUpDecision): string | null =>
  less(rowsOf(plan), rowsOf(other), ({ there }) => there);

function less(rows: readonly Row[], others: readonly Row[], of: (row: Row) => number): string | null {
  const counts = new Map(rows.map((row) => [row.asker, of(row)]));
  return others.find((row) => of(row) > (counts.get(row.asker) ?? 0))?.asker ?? null;
}
