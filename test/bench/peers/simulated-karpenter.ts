import { seconds } from '../../../core/model/values/time.ts';
import { startKarpenter } from '../../../simulation/karpenter/karpenter.ts';
import { describeType } from '../../../simulation/load/instance-types.ts';
import type { openbKinds } from '../../e2e/placement/openb-kinds.ts';
import { deployment, scalingGroup, testWorld } from '../../simulation/builders.ts';
import { CONSOLIDATE_AFTER_S, type Figures, figuresOfFall, type Ground } from './peer.ts';

interface BurstAndFall {
  readonly kinds: ReturnType<typeof openbKinds>;
  /** The share of the pods that is left after the fall. */
  readonly left: number;
  /** Seconds from the burst to the fall, and from the fall to the end. */
  readonly fallAfter: number;
  readonly shrinking: number;
}

/** Plays a burst and a fall with the simulated Karpenter of backtests, beside a node in each zone that is not Karpenter's. */
export async function simulateKarpenter(
  { instanceType, zones, price, most, bootMs }: Ground,
  { kinds, left, fallAfter, shrinking }: BurstAndFall,
): Promise<Figures> {
  const { capacity, allocatable } = describeType(instanceType)!;
  const groupIn = (zone: string, name: string, given: Parameters<typeof scalingGroup>[1]) =>
    scalingGroup(name, {
      instanceType,
      zones: [zone],
      capacity,
      allocatable,
      price,
      boot: { min: bootMs, max: bootMs },
      ready: { min: 100, max: 500 },
      shutdown: { min: 100, max: 500 },
      ...given,
    });
  const offered = zones.map((zone) => groupIn(zone, zone, { maxSize: most }));
  const world = testWorld([...offered, ...zones.map((zone) => groupIn(zone, `${zone} static`, { desiredSize: 1 }))]);
  startKarpenter(world, offered, {
    pools: new Map(offered.map(({ name }) => [name, 'default'])),
    consolidateAfter: seconds(CONSOLIDATE_AFTER_S),
  });
  let nodeSeconds = 0;
  const play = async (length: number): Promise<void> => {
    for (let passed = 0; passed < length; passed += 1) {
      nodeSeconds += world.api.nodes.size;
      // oxlint-disable-next-line no-await-in-loop
      await world.pass(1);
    }
  };
  const scaleTo = (share: number): void =>
    kinds.forEach(({ cpuMilli, memoryMib, replicas }, index) =>
      world.controllers.apply(
        deployment(`kind-${index}`, Math.ceil(replicas * share), { cpu: `${cpuMilli}m`, memory: `${memoryMib}Mi` }),
      ),
    );
  scaleTo(1);
  await play(fallAfter);
  const nodes = world.api.nodes.size;
  scaleTo(left);
  await play(shrinking);
  const evicted = world.ofKind('PodEvicted').length;
  return { nodes, ...figuresOfFall(nodes, world.api.nodes.size, nodeSeconds / 3_600, evicted) };
}
