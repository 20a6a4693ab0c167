import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { seconds } from '@outrigger/core/model/values/time.ts';
import { isDaemon, isFinished, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { SimulatedWorld } from '../world.ts';

const DISRUPTED: Taint = { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' };
/** Between two attempts to evict the pods that are left. */
const RETRY = seconds(1);
/** Karpenter gives load balancers this long. */
const LEAST = seconds(5);

type DrainWorld = Pick<SimulatedWorld, 'api' | 'clock' | 'writer'>;

/** Keeps new pods away from a node, or lets them on it again. */
export function setDisrupted({ api }: DrainWorld, name: NodeName, isDisrupted: boolean): void {
  const node = api.nodes.get(name);
  if (node !== undefined) {
    const others = node.taints.filter(({ key }) => key !== DISRUPTED.key);
    api.putNode({ ...node, taints: isDisrupted ? [...others, DISRUPTED] : others });
  }
}

/** Evicts the pods of a node as their budgets allow it, until it has none or is gone. */
export async function drain({ api, clock, writer }: DrainWorld, name: NodeName): Promise<void> {
  const began = clock.now();
  for (;;) {
    const pods = podsLeft(api.pods.values(), name);
    if (!api.nodes.has(name) || (pods.length === 0 && clock.now() - began >= LEAST)) {
      return;
    }
    for (const pod of pods.filter(({ deletedAt }) => deletedAt === null)) {
      await writer.evict(pod, null);
    }
    await clock.sleep(RETRY);
  }
}

const podsLeft = (pods: Iterable<Pod>, node: NodeName): readonly Pod[] =>
  [...pods].filter((pod) => pod.nodeName === node && !isDaemon(pod) && !isFinished(pod));
