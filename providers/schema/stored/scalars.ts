import * as z from 'zod';
import type { ClusterName, GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import type { DurationMs, EpochMs } from '../../../core/model/values/time.ts';

/** A string or number that is one name or unit in the core. */
const branded = <T extends string | number>(schema: z.ZodType<string | number>): z.ZodType<T> =>
  schema as unknown as z.ZodType<T>;

const name = z.string().min(1);
export const cluster = branded<ClusterName>(name);
export const group = branded<GroupName>(name);
export const node = branded<NodeName>(name);
export const instance = branded<InstanceId>(name);
export const podKey = branded<PodKey>(name);
export const time = branded<EpochMs>(z.number());
export const duration = branded<DurationMs>(z.number());
export const count = z.int().nonnegative();

export const strings = z.array(z.string());
export const labels = z.record(z.string(), z.string());
export const resources = z.record(z.string(), z.number());
