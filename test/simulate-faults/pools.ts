import type { Node } from '../../core/model/cluster/node.ts';
import { ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import { workloadKey } from '../../simulation/cluster/workload.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import type { Step } from './step.ts';

export const POOL_LABEL = 'example.com/pool';
/** On a pod: how many units of a node it takes. */
export const SIZE_LABEL = 'example.com/units';
/** On a pod: the only zone in which it may run, whatever says so. */
export const BOUND_TO_LABEL = 'example.com/bound-to';

/** Node groups of their own for pods of their own. */
export interface Pool {
  /** Name that the pools of all zones share, where pods are bound to zones. */
  readonly name: string;
  readonly groups: readonly GroupName[];
  /** Capacity of a node; of a large node, if the pool has two sizes (`nodeUnits`). */
  readonly units: number;
  /** The zone of its groups, to which all of its pods are bound; absent: these may run in any. */
  readonly zone?: string;
}

export const isOf = ({ name, zone }: Pool, { spec, labels }: Pick<Pod, 'spec' | 'labels'>): boolean =>
  spec.nodeSelector[POOL_LABEL] === name && (zone === undefined || labels[BOUND_TO_LABEL] === zone);

/** The pool of a node; `undefined` if the node does not exist or belongs to no pool. */
export const poolOfNode = (pools: readonly Pool[], node: Pick<Node, 'labels'> | undefined): Pool | undefined =>
  pools.find(
    ({ name, zone }) => node?.labels[POOL_LABEL] === name && (zone === undefined || node.labels[ZONE_LABEL] === zone),
  );

/** The pool of each workload, by its key. */
export const poolsOfWorkloads = ({
  pools,
  steps,
}: {
  readonly pools: readonly Pool[];
  readonly steps: readonly Step[];
}): ReadonlyMap<string, Pool> =>
  new Map(
    steps.flatMap((step) => {
      const pool = step.kind === 'apply' ? pools.find((one) => isOf(one, step.workload)) : undefined;
      return step.kind === 'apply' && pool !== undefined ? [[workloadKey(step.workload), pool]] : [];
    }),
  );
