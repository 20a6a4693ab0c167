import { ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { PodSpec } from '../../core/model/cluster/pod.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { Workload } from '../../providers/simulated/workload.ts';
import { UNIT_CPU } from './node-sizes.ts';
import { isOf, type Pool, SIZE_LABEL, SKEW_LABEL, type ZoneSkew } from './pools.ts';
import type { Step } from './step.ts';
import { inOneZoneEach, zonesOf } from './zones.ts';

interface AboutSkew {
  readonly seed: number;
  readonly groups: readonly ScalingGroup[];
  readonly pools: readonly Pool[];
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

/** Its name among what is drawn. */
export const ZONE_SKEW = 'zone skew';

/** The part of the runs that have a pool whose pods are spread over its zones, where a pool has groups for several. */
const PART = 0.1;

/**
 * In some runs the pods of one pool are spread over its zones, by one constraint that counts all of them, and that limits
 * where they may run. All are of one unit and each group is of one zone, so that how many of them have places can be told
 * exactly (`placeable`).
 */
export function withZoneSkew<Scenario extends AboutSkew>(scenario: Scenario, always: readonly string[]): Scenario {
  const chance = chanceFor(scenario.seed, ZONE_SKEW);
  const isDrawn = chance.next() < PART || always.includes(ZONE_SKEW);
  const several = scenario.pools.filter((pool) => pool.units > 1 && pool.zone === undefined && zonesOf(pool).size > 1);
  if (!isDrawn || several.length === 0) {
    return scenario;
  }
  const pool = several[chance.within({ min: 0, max: several.length - 1 })]!;
  const zones = zonesOf(pool).size;
  const skew: ZoneSkew = {
    maxSkew: chance.within({ min: 1, max: 3 }),
    // With more than there are zones, no zone ever takes more than `maxSkew` pods: the others wait.
    minDomains: [null, null, null, zones, zones, zones, zones + 1][chance.within({ min: 0, max: 6 })]!,
  };
  const spread = (workload: Workload): Workload =>
    isOf(pool, workload) ? { ...workload, ...spreadOver(skew, pool, workload) } : workload;
  return {
    ...scenario,
    groups: inOneZoneEach(scenario.groups, [pool]),
    pools: scenario.pools.map((one) => (one === pool ? { ...pool, skew } : one)),
    steps: scenario.steps.map((step) => (step.kind === 'apply' ? { ...step, workload: spread(step.workload) } : step)),
    drawn: [...scenario.drawn, ZONE_SKEW],
  };
}

const spreadOver = (
  { maxSkew, minDomains }: ZoneSkew,
  { name }: Pool,
  { labels, spec }: Workload,
): Pick<Workload, 'labels' | 'spec'> => ({
  labels: { ...labels, [SIZE_LABEL]: '1', [SKEW_LABEL]: name },
  spec: {
    ...ofOneUnit(spec),
    topologySpread: [
      {
        maxSkew,
        topologyKey: ZONE_LABEL,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { [SKEW_LABEL]: name }, matchExpressions: [] },
        minDomains,
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
        matchLabelKeys: [],
      },
    ],
  },
});

const ofOneUnit = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map((container) => ({
    ...container,
    requests: { ...container.requests, [CPU]: UNIT_CPU },
  })),
});
