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

/** Held capacity on existing, upcoming or added nodes, or on existing nodes alone. */
type Held = 'served' | 'there';

/** Is all capacity held that virtual pods ask for? */
export const isAllHeld = (plan: ScaleUpDecision, held: Held): boolean =>
  rowsOf(plan).every((row) => row[held] >= row.wanted);

/** The asker with less held capacity in `plan` than in `other`; `null`: none. */
export function ownerWithLess(plan: ScaleUpDecision, other: ScaleUpDecision, held: Held): string | null {
  const counts = new Map(rowsOf(plan).map((row) => [row.asker, row[held]]));
  return rowsOf(other).find((row) => row[held] > (counts.get(row.asker) ?? 0))?.asker ?? null;
}
