import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { TopologySpreadConstraint } from '../../../core/model/cluster/pod.ts';
import type { Workload } from '../../../providers/simulated/workload.ts';
import { BOUND_TO_LABEL } from '../pools.ts';
import type { KindsOfPods } from './kind.ts';

/** By this name constraints of all kinds come together. */
const RUNS = 'topology spread';

const over = (
  { labels }: Workload,
  topologyKey: string,
  more: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: labels['app']! }, matchExpressions: [] },
  minDomains: null,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
  ...more,
});

/** More than there are nodes: the emptiest one counts as empty then, so that each node takes `maxSkew` pods at most. */
const MANY_DOMAINS = 1_000;

/** Topology spread constraints. How many pods of a workload a node can hold stays exact with them. */
export const SPREAD: KindsOfPods = {
  'spread over nodes': {
    // Instead of anti-affinity, so in those of the pools that hold one workload, one pod on each node.
    runs: { name: RUNS, part: 0.4 },
    part: 0.8,
    may: ({ spec }) => spec.podAntiAffinity.length > 0,
    change: (workload, chance) => ({
      spec: {
        ...workload.spec,
        podAntiAffinity: [],
        topologySpread: [
          over(workload, HOSTNAME_LABEL, {
            minDomains: MANY_DOMAINS,
            nodeTaintsPolicy: chance.next() < 0.5 ? 'Honor' : 'Ignore',
          }),
        ],
      },
    }),
  },
  'spread over zones': {
    // Of a pod that is bound to a zone no other zone counts: the constraint holds wherever the pod may run.
    runs: { name: RUNS, part: 0.4 },
    part: 0.5,
    may: ({ labels, volumes }) => labels[BOUND_TO_LABEL] !== undefined && volumes === undefined,
    change: (workload) => ({
      spec: { ...workload.spec, topologySpread: [...workload.spec.topologySpread, over(workload, ZONE_LABEL)] },
    }),
  },
  'spread if possible': {
    runs: { name: RUNS, part: 0.12 },
    part: 0.4,
    may: ({ spec }) => spec.topologySpread.length === 0,
    change: (workload, chance) => ({
      spec: {
        ...workload.spec,
        topologySpread: [
          over(workload, chance.next() < 0.5 ? HOSTNAME_LABEL : ZONE_LABEL, { whenUnsatisfiable: 'ScheduleAnyway' }),
        ],
      },
    }),
  },
};
