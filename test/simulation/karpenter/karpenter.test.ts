import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import { durationMs, minutes } from '../../../core/model/values/time.ts';
import { startKarpenter } from '../../../simulation/karpenter/karpenter.ts';
import { describeType } from '../../../simulation/load/instance-types.ts';
import { deployment, scalingGroup, START, testWorld } from '../builders.ts';

const ZONES = ['us-east-1a', 'us-east-1b'];

const offered = (
  instanceType: string,
  zone: string,
  given: { readonly desiredSize?: number; readonly available?: number } = {},
) => {
  const { capacity, allocatable, price } = describeType(instanceType)!;
  return scalingGroup(`${instanceType} ${zone}`, {
    instanceType,
    zones: [zone],
    maxSize: 100,
    capacity,
    allocatable,
    price,
    ...given,
  });
};

/** Karpenter in a world of instance types in two zones, with nodes there at the start. */
function karpenterWorld(
  types: readonly string[],
  {
    start = {},
    consolidateAfter = durationMs(0),
  }: { start?: Readonly<Record<string, number>>; consolidateAfter?: typeof NEVER } = {},
) {
  const groups = types.flatMap((type) =>
    ZONES.map((zone, index) => offered(type, zone, { desiredSize: index === 0 ? (start[type] ?? 0) : 0 })),
  );
  const world = testWorld(groups);
  startKarpenter(world, groups, { pools: new Map(groups.map(({ name }) => [name, 'default'])), consolidateAfter });
  const nodes = (): readonly string[] =>
    [...world.api.nodes.values()].map(({ labels }) => labels['node.kubernetes.io/instance-type']!).toSorted();
  return { ...world, groups, nodes };
}

const NEVER = minutes(10_000);
const M5 = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge'];

describe('pending pods', () => {
  test('are packed onto as few nodes as hold them, of the cheapest type that holds them together', async () => {
    const world = karpenterWorld(M5, { consolidateAfter: NEVER });
    world.controllers.apply(deployment('web', 10, { cpu: 1.2, memory: '1Gi' }));
    await world.pass(120);
    expect(world.nodes()).toEqual(['m5.4xlarge']);
  });

  test('of several sizes are packed by falling size, and the rest gets a small node', async () => {
    const world = karpenterWorld(M5, { consolidateAfter: NEVER });
    world.controllers.apply(deployment('small', 3, { cpu: 0.4 }));
    world.controllers.apply(deployment('large', 2, { cpu: 14.5 }));
    await world.pass(120);
    expect(world.nodes()).toEqual(['m5.4xlarge', 'm5.4xlarge']);
    world.controllers.apply(deployment('more', 1, { cpu: 1.5 }));
    await world.pass(120);
    expect(world.nodes()).toEqual(['m5.4xlarge', 'm5.4xlarge', 'm5.large']);
  });

  test('get another offering where the cloud has no capacity for the first, and no second node besides', async () => {
    const world = karpenterWorld(['m5.xlarge'], { consolidateAfter: NEVER });
    world.scaling.setAvailable(world.groups[0]!.name, 0);
    world.controllers.apply(deployment('web', 2, { cpu: 3 }));
    await world.pass(180);
    expect([...world.api.nodes.values()].map(({ labels }) => labels['topology.kubernetes.io/zone'])).toEqual([
      'us-east-1b',
      'us-east-1b',
    ]);
    expect(world.scaling.sizeOf(world.groups[0]!.name)?.target).toBe(0);
  });
});

describe('consolidation', () => {
  test('ends empty nodes, a tenth of all at a time', async () => {
    const world = karpenterWorld(['m5.large'], { start: { 'm5.large': 15 } });
    await world.pass(19);
    expect(world.ofKind('InstanceTerminated')).toHaveLength(0);
    await world.pass(4);
    expect(world.ofKind('InstanceTerminated')).toHaveLength(2);
    await world.pass(900);
    expect(world.nodes()).toEqual([]);
  });

  test('ends those nodes of a command to which no pod has come meanwhile, and looks for others at once', async () => {
    const world = karpenterWorld(['m5.large'], { start: { 'm5.large': 25 } });
    world.controllers.apply(deployment('web', 22, { cpu: 1.2 }));
    await world.pass(90);
    expect(world.ofKind('InstanceTerminated').map(({ at }) => (at - START) / 1_000)).toEqual([20, 35, 35]);
    expect(world.nodes()).toHaveLength(22);
  });

  test('puts one cheaper node in the place of several, which go once it is ready', async () => {
    const world = karpenterWorld(['m5.large', 'm5.2xlarge'], { start: { 'm5.2xlarge': 2 } });
    world.controllers.apply(deployment('web', 2, { cpu: 0.5 }));
    await world.pass(600);
    expect(world.nodes()).toEqual(['m5.large']);
    const ready = world.ofKind('NodeReady').at(-1)!.at;
    expect(world.ofKind('PodEvicted').every(({ at }) => at >= ready || at < ready - 60_000)).toBe(true);
  });

  test.each([
    ['asks not to be disrupted', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
    ['has a budget that allows no eviction', { minAvailable: 1 }],
  ])('leaves the node of a pod that %s', async (_, extra) => {
    const world = karpenterWorld(['m5.large', 'm5.2xlarge'], { start: { 'm5.2xlarge': 1 } });
    world.controllers.apply(deployment('web', 1, { cpu: 0.5 }, extra));
    await world.pass(600);
    expect(world.nodes()).toEqual(['m5.2xlarge']);
    expect(world.ofKind('PodEvicted')).toEqual([]);
  });

  test('waits for `consolidateAfter` from the last pod that has come or gone', async () => {
    const world = karpenterWorld(['m5.large', 'm5.2xlarge'], {
      start: { 'm5.2xlarge': 1 },
      consolidateAfter: minutes(5),
    });
    world.controllers.apply(deployment('web', 1, { cpu: 0.5 }));
    await world.pass(290);
    expect(world.ofKind('InstanceLaunched')).toHaveLength(0);
    await world.pass(120);
    expect(world.nodes()).toEqual(['m5.large']);
  });
});

test('a node that the cloud announces to end is drained at once, and its pods get another one', async () => {
  const world = karpenterWorld(['m5.large'], { start: { 'm5.large': 1 }, consolidateAfter: NEVER });
  world.controllers.apply(deployment('web', 1, { cpu: 1 }));
  await world.pass(20);
  const [pod] = world.podsOf('default/web');
  const [{ instances }] = world.scaling.groups() as [ReturnType<typeof world.scaling.groups>[0]];
  world.announce!({
    id: 'notice',
    what: 'SpotInterruption',
    instances: [instances[0]!.id],
    time: world.clock.now(),
    endsAt: null,
  });
  await world.pass(120);
  expect(world.ofKind('PodEvicted').map((event) => event.pod)).toEqual([keyOf(pod!)]);
  expect(world.nodes()).toEqual(['m5.large']);
  expect(world.podsOf('default/web')[0]!.phase).toBe('Running');
});
