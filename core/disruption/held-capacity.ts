import { ownerText } from '../headroom/held.ts';
import type { ScaleUpDecision } from '../model/decision.ts';

/** The virtual pods of an owner of capacity, in numbers. */
interface OwnerCapacity {
  readonly owner: string;
  readonly wanted: number;
  /** On existing, upcoming or added nodes. */
  readonly served: number;
  /** On existing nodes. */
  readonly existing: number;
}

/** The rows of a plan's virtual pods: a ProvisioningRequest whose capacity is still looked for has all or none. */
const rowsOf = ({ headroom = [], provisioningRequests = [] }: ScaleUpDecision): readonly OwnerCapacity[] => [
  ...headroom.map(({ source, name, wanted, fits, upcoming = 0, triggered }): OwnerCapacity => ({
    owner: ownerText({ source, name }),
    wanted,
    served: fits + triggered,
    existing: fits - upcoming,
  })),
  ...provisioningRequests.flatMap(({ name, outcome, wanted, fits, upcoming = 0 }): readonly OwnerCapacity[] => {
    const owner = ownerText({ source: 'ProvisioningRequest', name });
    switch (outcome) {
      case 'Booked':
        return [{ owner, wanted, served: fits, existing: fits - upcoming }];
      case 'CapacityIsFound':
      case 'CapacityIsProvisioned':
        return [{ owner, wanted, served: wanted, existing: 0 }];
      case 'CapacityIsNotFound':
        return [{ owner, wanted, served: 0, existing: 0 }];
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
type CapacityCount = 'served' | 'existing';

/** Is all capacity held that virtual pods ask for? */
export const isAllCapacityHeld = (plan: ScaleUpDecision, count: CapacityCount): boolean =>
  rowsOf(plan).every((row) => row[count] >= row.wanted);

/** The owner with less held capacity in `plan` than in `other`; `null`: none. */
export function ownerWithLessCapacity(
  plan: ScaleUpDecision,
  other: ScaleUpDecision,
  count: CapacityCount,
): string | null {
  const counts = new Map(rowsOf(plan).map((row) => [row.owner, row[count]]));
  return rowsOf(other).find((row) => row[count] > (counts.get(row.owner) ?? 0))?.owner ?? null;
}
