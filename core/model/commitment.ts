export const COMMITMENT_KINDS = ['ReservedInstances', 'CapacityReservation'] as const;
export type CommitmentKind = (typeof COMMITMENT_KINDS)[number];

/** Instances that are paid for whether they run or not: one commitment for each kind, type and zone. */
export interface Commitment {
  readonly kind: CommitmentKind;
  readonly type: string;
  /** `null`: in any zone of the region. */
  readonly zone: string | null;
  /** Number of instances. */
  readonly count: number;
  /** Number of unused instances; `null` where the cloud does not tell. */
  readonly available: number | null;
  /** Instances of other sizes of the same family are covered, too, in proportion to their size. */
  readonly coversSizes: boolean;
}
