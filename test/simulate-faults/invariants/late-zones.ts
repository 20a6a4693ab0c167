import type { GroupName } from '../../../core/model/values/names.ts';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { isOf, poolOfNode, type Pool } from '../pools.ts';
import { mayCome, withMore, zoneOfGroup, zonesWithPods } from '../skewed-room.ts';
import type { Stage, Watch } from './invariant.ts';

export interface LateZones extends Required<Pick<Watch, 'event'>> {
  /** Takes a pod since this time that came elsewhere, before the zone of this group had a node. */
  readonly take: (group: GroupName, since: number) => boolean;
}

/** A pod that came to one zone, and could not have come there beside a node of another one. */
interface Early {
  readonly pool: Pool;
  /** The zone that had no node. */
  readonly zone: string;
  readonly at: EpochMs;
}

/**
 * Watches for pods that are spread over zones and come to one of these while another one has no node yet: it is no domain, and
 * kube-scheduler puts more of them elsewhere than it would beside an empty one. Each such pod leaves one node at the most
 * without pods of those that were bought for that zone.
 */
export function watchLateZones({
  scenario: { pools },
  world: { api, scaling },
}: {
  readonly scenario: Pick<Stage['scenario'], 'pools'>;
  readonly world: Pick<Stage['world'], 'api' | 'scaling'>;
}): LateZones {
  const early: Early[] = [];
  const zoneNamed = (name: GroupName): string | undefined =>
    scaling.groups().flatMap(({ group }) => (group.name === name ? zoneOfGroup(group) : []))[0];
  return {
    event: (event) => {
      const pod = event.kind === 'PodBound' ? api.pods.get(event.pod) : undefined;
      const node = event.kind === 'PodBound' ? api.nodes.get(event.node) : undefined;
      const pool = poolOfNode(pools, node);
      if (pod === undefined || node === undefined || pool?.skew === undefined || !isOf(pool, pod)) {
        return;
      }
      const others = api.pods.values().filter((one) => one !== pod);
      const zones = zonesWithPods(pools, pool, api.nodes.values(), others);
      for (const zone of new Set(pool.groups.map(zoneNamed))) {
        const isLate = zone !== undefined && !zones.has(zone);
        if (isLate && !mayCome(node.labels[ZONE_LABEL]!, withMore(zones, zone, 0), pool.skew)) {
          early.push({ pool, zone, at: event.at });
        }
      }
    },
    take: (group, since) => {
      const zone = zoneNamed(group);
      const index = early.findIndex((one) => one.zone === zone && one.at >= since && one.pool.groups.includes(group));
      if (index >= 0) {
        early.splice(index, 1);
      }
      return index >= 0;
    },
  };
}
