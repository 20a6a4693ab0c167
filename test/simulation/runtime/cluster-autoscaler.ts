import { type Node, TO_BE_DELETED_TAINT } from '../../../core/model/cluster/node.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import type { SimulatedAwsWorld } from '../../../simulation/world.ts';

/** `--scan-interval` and `--scale-down-unneeded-time`. */
const LOOK_MS = 10_000;
const UNNEEDED_MS = 600_000;

export interface ClusterAutoscaler {
  /** The sizes that it has set, in order. */
  readonly set: number[];
  readonly terminated: InstanceId[];
  readonly tainted: NodeName[];
  /** Ends it at once, in the middle of a removal too. */
  readonly stop: () => void;
}

/**
 * Does what a hand-over meets of Cluster Autoscaler: every ten seconds it raises the size of its one group by a node for each pod that
 * the scheduler has refused, beyond those that are free or upcoming, or else removes a node that has had no pods for ten minutes. The
 * node is tainted at one look and terminated at the next.
 */
export function startClusterAutoscaler(
  { clock, api, scaling, groups }: SimulatedAwsWorld,
  group: GroupName,
): ClusterAutoscaler {
  const set: number[] = [];
  const terminated: InstanceId[] = [];
  const tainted: NodeName[] = [];
  const emptySince = new Map<NodeName, number>();
  const ended = new AbortController();

  const look = async (): Promise<void> => {
    const [{ targetSize, minSize, instances } = { targetSize: 0, minSize: 0, instances: [] }] = await groups.list(
      api.listNodes(),
    );
    const pods = [...api.pods.values()];
    const waiting = pods.filter(({ unscheduled }) => unscheduled?.reason === 'Unschedulable').length;
    const used = new Set(pods.map(({ nodeName }) => nodeName));
    const isLeaving = ({ taints }: Node): boolean => taints.some(({ key }) => key === TO_BE_DELETED_TAINT);
    const closed = [...api.nodes.values()].filter((node) => used.has(node.name) || isLeaving(node));
    const missing = waiting - (targetSize - closed.length);
    if (missing > 0) {
      set.push(targetSize + missing);
      scaling.setDesired(group, targetSize + missing);
      return;
    }
    for (const { name } of api.nodes.values()) {
      emptySince.set(name, used.has(name) ? Infinity : Math.min(emptySince.get(name) ?? Infinity, clock.now()));
    }
    const empty = [...api.nodes.values()].find(({ name }) => clock.now() - emptySince.get(name)! >= UNNEEDED_MS);
    if (empty === undefined || targetSize <= minSize) {
      return;
    }
    if (!tainted.includes(empty.name)) {
      tainted.push(empty.name);
      api.putNode(withTaint(empty, clock.now()));
      return;
    }
    const { id } = instances.find(({ node }) => node === empty.name)!;
    terminated.push(id);
    emptySince.delete(empty.name);
    scaling.terminate(group, id, true);
  };

  clock.start(async () => {
    while (!ended.signal.aborted) {
      await look();
      await clock.sleep(LOOK_MS);
    }
  });
  return { set, terminated, tainted, stop: () => ended.abort() };
}

const withTaint = (node: Node, now: number): Node => ({
  ...node,
  taints: [...node.taints, { key: TO_BE_DELETED_TAINT, value: String(Math.floor(now / 1_000)), effect: 'NoSchedule' }],
});
