import * as z from 'zod';
import type { ClusterName, GroupName, InstanceId, NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';

/** A string or number that is one name or unit in the core. */
const branded = <T extends string | number>(schema: z.ZodType<string | number>): z.ZodType<T> =>
  schema as unknown as z.ZodType<T>;

const name = z.string().min(1);
export const cluster = branded<ClusterName>(name);
export const storedGroup = branded<GroupName>(name);
export const storedNode = branded<NodeName>(name);
export const storedInstance = branded<InstanceId>(name);
export const storedPodKey = branded<PodKey>(name);
export const storedTime = branded<EpochMs>(z.number());
export const storedDuration = branded<DurationMs>(z.number());
export const storedCount = z.int().nonnegative();

export const strings = z.array(z.string());
export const labels = z.record(z.string(), z.string());
export const resources = z.record(z.string(), z.number());
