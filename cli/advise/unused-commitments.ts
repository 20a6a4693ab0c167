import type { Commitment, InstanceCommitment, SavingsPlan } from '@outrigger/core/model/commitment.ts';
import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { capacityTypeOf } from '@outrigger/core/registry/shortages.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import type { DemoLoad } from '@outrigger/simulation/load/load.ts';

type KnownCommitment = InstanceCommitment | SavingsPlan;

/** Commitments that were read. */
export const knownCommitments = ({ commitments = [] }: Pick<DemoLoad, 'commitments'>): readonly KnownCommitment[] =>
  commitments.filter((one: Commitment) => one.kind !== 'Unread');

/** Capacity that is paid for in any case, and that nodes of a load could use and nodes of another load could not. */
export function unusedCommitments(load: DemoLoad, other: Pick<DemoLoad, 'groups'>): readonly KnownCommitment[] {
  const isUsable = (one: KnownCommitment, { groups }: Pick<DemoLoad, 'groups'>): boolean =>
    groups.some((group) => !isSpot(group) && covers(one, group.instanceType));
  return knownCommitments(load).filter((one) => isUsable(one, load) && !isUsable(one, other));
}

const isSpot = ({ labels, capacityType = null }: SimulatedScalingGroup): boolean =>
  (capacityTypeOf(labels) ?? capacityType) === 'spot';

const familyOf = (type: string): string => textBefore(type, '.');

function covers(one: KnownCommitment, type: string): boolean {
  if (one.kind === 'SavingsPlan') {
    return one.family === null || one.family === familyOf(type);
  }
  return one.coversSizes ? familyOf(one.type) === familyOf(type) : one.type === type;
}

/** `ReservedInstances for m5.xlarge`, as AWS names them. */
export const commitmentText = (one: KnownCommitment): string =>
  one.kind === 'SavingsPlan' ? `SavingsPlan for ${one.family ?? 'all families'}` : `${one.kind} for ${one.type}`;
