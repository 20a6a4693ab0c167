import type { Decision } from '../../core/model/decision.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Pool } from './pools.ts';
import { zonesOf } from './zones.ts';

/** Results of a scale-up that plans nothing, for any pod. */
export const NOTHING_PLANNED: ReadonlySet<string> = new Set(['Limited', 'Cooldown', 'ClusterUnhealthy', 'NotTried']);
/** Pods so young are not acted on yet. */
export const YOUNG_MS = 5_000;

/** Has the cluster limits of its own, which its groups share? */
const isLimited = ({ maxNodesTotal, coresTotal, memoryTotal }: Options): boolean =>
  maxNodesTotal > 0 ||
  coresTotal.max < defaultOptions().coresTotal.max ||
  memoryTotal.max < defaultOptions().memoryTotal.max;

/** The groups of the pool that may grow further than a decision lets them, by what is known. */
export function openGroups(
  { nodeGroups, now, options }: Pick<Scenario, 'nodeGroups' | 'now' | 'options'>,
  { scaleUp, state }: Pick<Decision, 'scaleUp' | 'state'>,
  pool: Pool,
): readonly GroupName[] {
  if (isLimited(options)) {
    return [];
  }
  const leftOut = new Set(scaleUp.skippedGroups.map(({ group }) => group));
  return nodeGroups.flatMap(({ name, targetSize, maxSize }) =>
    pool.groups.includes(name) &&
    !leftOut.has(name) &&
    (state.backoff[name]?.until ?? 0) <= now &&
    (scaleUp.increases.find(({ group }) => group === name)?.to ?? targetSize) < maxSize
      ? name
      : [],
  );
}

/** One of them for the pods of the pool, whichever these are; `null`: none. */
export function openGroup(seen: Scenario, decision: Decision, pool: Pool): GroupName | null {
  const open = openGroups(seen, decision, pool);
  // Pods that are spread over zones may need a node in any of them.
  const isOpen =
    pool.skew === undefined ||
    zonesOf(pool)
      .values()
      .every((names) => names.some((name) => open.includes(name)));
  return isOpen ? (open[0] ?? null) : null;
}
