import { ownerText } from '../headroom/held.ts';
import type { ScaleUpDecision } from '../model/decision.ts';

/** The virtual pods of one that asks for room, in numbers. */
interface Row {
  readonly asker: string;
  readonly wanted: number;
  /** On existing, upcoming or added nodes. */
  readonly served: number;
  /** On existing nodes. */
  readonly there: number;
}

/** The rows of a plan's virtual pods: a ProvisioningRequest whose capacity is still looked for has all or none. */
const rowsOf = ({ headroom = [], provisioningRequests = [] }: ScaleUpDecision): readonly Row[] => [
  ...headroom.map(({ source, name, wanted, fits, upcoming = 0, triggered }): Row => ({
    asker: ownerText({ source, name }),
    wanted,
    served: fits + triggered,
    there: fits - upcoming,
  })),
  ...provisioningRequests.flatMap(({ name, outcome, wanted, fits, upcoming = 0 }): readonly Row[] => {
    const asker = ownerText({ source: 'ProvisioningRequest', name });
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

/** Is all held capacity on existing nodes? */
export const isRoomThere = (plan: ScaleUpDecision): boolean =>
  rowsOf(plan).every(({ wanted, there }) => there >= wanted);

/** The asker with less held capacity in `plan` than in `other`; `null`: none. */
export const ownerWithLessCapacity = (plan: ScaleUpDecision, other: ScaleUpDecision): string | null =>
  less(rowsOf(plan), rowsOf(other), ({ served }) => served);

/** The same for held capacity on existing nodes. */
export const ownerWithLessReadyCapacity = (plan: ScaleUpDecision, other: ScaleUpDecision): string | null =>
  less(rowsOf(plan), rowsOf(other), ({ there }) => there);

function less(rows: readonly Row[], others: readonly Row[], of: (row: Row) => number): string | null {
  const counts = new Map(rows.map((row) => [row.asker, of(row)]));
  return others.find((row) => of(row) > (counts.get(row.asker) ?? 0))?.asker ?? null;
}
