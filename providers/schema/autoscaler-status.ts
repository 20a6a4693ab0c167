import { parse } from 'yaml';
import * as z from 'zod';

const Condition = z.object({ status: z.string().max(100), lastTransitionTime: z.iso.datetime() });
const Conditions = z.object({ health: Condition, scaleUp: Condition, scaleDown: Condition });

/** The times in a status ConfigMap, Cluster Autoscaler's or Outrigger's: since when each condition has been as it is. */
const StatusTimes = z.object({
  clusterWide: Conditions,
  nodeGroups: z.array(Conditions.extend({ name: z.string() })).default([]),
});
export type StatusTimes = z.infer<typeof StatusTimes>;

/** @returns `null` for a text of another form: a status that begins anew loses its times, and nothing else. */
export function parseStatusTimes(text: string): StatusTimes | null {
  try {
    return StatusTimes.safeParse(parse(text, { maxAliasCount: 0 })).data ?? null;
  } catch {
    return null;
  }
}
