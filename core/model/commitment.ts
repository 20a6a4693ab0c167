/** Capacity blocks are for node groups that launch into capacity blocks, the others for on-demand nodes. */
export const INSTANCE_COMMITMENT_KINDS = ['ReservedInstances', 'CapacityReservation', 'CapacityBlock'] as const;

/** Instances that are paid for whether they run or not: one commitment for each kind, type and zone. */
export interface InstanceCommitment {
  readonly kind: (typeof INSTANCE_COMMITMENT_KINDS)[number];
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

/** An amount that is paid in each hour, for on-demand instances at lower rates. */
export interface SavingsPlan {
  readonly kind: 'SavingsPlan';
  /** The family of an EC2 instance savings plan, such as `m5`; `null` for a compute savings plan, which is for all families. */
  readonly family: string | null;
  /** USD per hour. */
  readonly commitment: number;
  /** The part of the commitment that an instance takes, by its type, in USD per hour. Types without a rate are not covered. */
  readonly rates: Readonly<Record<string, number>>;
}

/** Commitments of a kind that could not be read: any on-demand node may be paid for in any case. */
export interface UnreadCommitments {
  readonly kind: 'Unread';
  /** The failed call, such as `DescribeReservedInstances`. */
  readonly call: string;
}

/** Capacity that is paid for in any case. */
export type Commitment = InstanceCommitment | SavingsPlan | UnreadCommitments;
