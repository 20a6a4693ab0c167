import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupName, type InstanceId, type NodeName } from '../../core/model/values/names.ts';
import { podRequests } from '../../core/model/cluster/pod-requests.ts';
import { isFinished, keyOf, type PodSpec } from '../../core/model/cluster/pod.ts';
import { seconds } from '../../core/model/values/time.ts';
import { plainSpec } from '../../simulation/cluster/pod-spec.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { agent, deployment, job, scalingGroup, START, testWorld, withClock } from './builders.ts';

const A = groupName('a');

describe('a world by itself', () => {
  test('pods that fit are bound, start and run; the others wait with a reason until there is a node', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })], { daemonSets: [agent] });
    world.controllers.apply(deployment('web', 5, { cpu: 1 }));
    await world.pass(20);
    const phases = world.podsOf('default/web').map(({ phase }) => phase);
    expect(phases.sort()).toEqual(['Pending', 'Pending', 'Running', 'Running', 'Running']);
    expect(world.ofKind('PodUnschedulable').map(({ message }) => message)).toEqual([
      '0/1 nodes are available: 1 Insufficient cpu.',
      '0/1 nodes are available: 1 Insufficient cpu.',
    ]);
    expect(await withClock(world, () => world.reader.hasPendingPods())).toBe(true);

    expect(world.scaling.setDesired(A, 2)).toEqual({ kind: 'set' });
    await world.pass(80);
    expect(world.podsOf('default/web').every(({ phase, ready }) => phase === 'Running' && ready)).toBe(true);
    expect(await withClock(world, () => world.reader.hasPendingPods())).toBe(false);
  });

  test('an instance takes its time: launch, registration within the boot time, readiness a little later', async () => {
    const world = testWorld([scalingGroup('a', { maxSize: 30 })], { daemonSets: [agent] });
    world.scaling.setDesired(A, 30);
    await world.pass(120);
    expect(world.ofKind('NodeReady')).toHaveLength(30);
    const delays = world.ofKind('NodeRegistered').map(({ instance, at }) => {
      const launched = world.ofKind('InstanceLaunched').find((event) => event.instance === instance)!;
      const ready = world.ofKind('NodeReady').find((event) => event.instance === instance)!;
      return { boot: (at - launched.at) / 1_000, ready: (ready.at - at) / 1_000 };
    });
    for (const { boot, ready } of delays) {
      expect(boot).toBeGreaterThanOrEqual(25);
      expect(boot).toBeLessThanOrEqual(45);
      expect(ready).toBeGreaterThanOrEqual(2);
      expect(ready).toBeLessThanOrEqual(5);
    }
    expect(new Set(delays.map(({ boot }) => boot)).size).toBeGreaterThan(10);
    // A DaemonSet's pod on each, and nothing else before it is ready.
    expect(world.podsOf('kube-system/agent')).toHaveLength(30);
    expect(new Set(world.podsOf('kube-system/agent').map(({ nodeName }) => nodeName)).size).toBe(30);
  });

  test('a DaemonSet has pods on the nodes that its selector and its tolerations allow', async () => {
    const spec = (given: Partial<PodSpec>) => plainSpec({ cpu: 100 }, given);
    const gpus = { key: 'gpu', value: '', effect: 'NoSchedule' };
    const world = testWorld(
      [
        scalingGroup('a', { desiredSize: 1 }),
        scalingGroup('b', { desiredSize: 1, labels: { pool: 'b' }, taints: [gpus] }),
      ],
      {
        daemonSets: [
          { namespace: 'kube-system', name: 'plain', spec: spec({}) },
          { ...agent, name: 'of-b', spec: { ...agent.spec, nodeSelector: { pool: 'b' } } },
        ],
      },
    );
    await world.pass(20);
    const groupsOf = (set: string) =>
      world.podsOf(`kube-system/${set}`).map(({ nodeName: on }) => world.api.nodes.get(on!)!.labels['pool'] ?? 'a');
    expect(groupsOf('plain')).toEqual(['a']);
    expect(groupsOf('of-b')).toEqual(['b']);
  });

  test('a node is ready before its GPUs are announced, and no pod that asks for them is put on it earlier', async () => {
    const gpu = 'nvidia.com/gpu';
    const group = scalingGroup('a', {
      node: { cpu: 4, pods: 58, [gpu]: 1 },
      devices: { names: [gpu], announced: { min: 60_000, max: 90_000 } },
    });
    const world = testWorld([group]);
    world.controllers.apply(deployment('train', 1, { cpu: 1, [gpu]: 1 }));
    world.controllers.apply(deployment('web', 1, { cpu: 1 }));
    world.scaling.setDesired(A, 1);
    await world.pass(240);
    const ready = world.ofKind('NodeReady')[0]!.at;
    const announced = world.ofKind('DevicesAnnounced')[0]!.at;
    expect((announced - ready) / 1_000).toBeGreaterThanOrEqual(60);
    expect((announced - ready) / 1_000).toBeLessThanOrEqual(90);
    const bound = new Map(world.ofKind('PodBound').map(({ workload, at }) => [workload, at]));
    expect(bound.get('default/web')).toBeLessThan(announced);
    expect(bound.get('default/web')).toBeGreaterThanOrEqual(ready);
    expect(bound.get('default/train')).toBeGreaterThanOrEqual(announced);
    expect([...world.api.nodes.values()].map(({ allocatable }) => allocatable[gpu])).toEqual([1]);
  });

  test('sizes outside the bounds are refused, as by the API', async () => {
    const world = testWorld([scalingGroup('a', { minSize: 1, desiredSize: 1, maxSize: 3 })]);
    const { groups } = world;
    const refused = { kind: 'failed', code: 'ValidationError' };
    expect(await withClock(world, () => groups.setSize(A, 4))).toMatchObject(refused);
    expect(await withClock(world, () => groups.setSize(A, 0))).toMatchObject(refused);
    expect(await withClock(world, () => groups.readSize(A))).toEqual({ min: 1, max: 3, target: 1, held: 1 });
    expect(await withClock(world, () => groups.setSize(A, 3))).toEqual({ kind: 'set' });
    expect(await withClock(world, () => groups.readSize(A))).toEqual({ min: 1, max: 3, target: 3, held: 1 });
    expect(await withClock(world, () => groups.readSize(groupName('unknown')))).toBeNull();
  });

  test('an instance is told with the sizes of its group', async () => {
    const world = testWorld([scalingGroup('a', { minSize: 0, desiredSize: 2, maxSize: 3 })]);
    const { groups } = world;
    const [instance] = world.scaling.groups()[0]!.instances;
    const read = (id = instance!.id) => withClock(world, () => groups.readInstance(A, id));
    expect(await read()).toEqual({ state: 'in group', size: { min: 0, max: 3, target: 2, held: 2 } });
    await withClock(world, () => groups.terminate(A, instance!.id, true));
    expect(await read()).toEqual({ state: 'ending', size: { min: 0, max: 3, target: 1, held: 1 } });
    await world.pass(60);
    expect(await read()).toMatchObject({ state: 'gone', size: { target: 1 } });
    const unknown = await withClock(world, () => groups.readInstance(groupName('unknown'), instance!.id));
    expect(unknown).toEqual({ state: 'gone', size: null });
  });

  test('instances that the cloud does not have are missing with the reason, until it has them', async () => {
    const world = testWorld([scalingGroup('a', { available: 1 })]);
    world.scaling.setDesired(A, 3);
    await world.pass(20);
    const asked = new Map([[A, START]]);
    const why = async (nodes: Parameters<typeof world.groups.list>[0]) =>
      await withClock(world, async () => world.groups.withLaunchFailures(await world.groups.list(nodes), asked));
    const [group] = await why([]);
    expect(group!.targetSize).toBe(3);
    expect(group!.instances).toHaveLength(1);
    expect(group!.launchFailures.map((failure) => failure.class)).toEqual(['OutOfResources', 'OutOfResources']);
    world.scaling.setAvailable(A, 3);
    await world.pass(150);
    expect(world.ofKind('NodeReady')).toHaveLength(3);
    const [later] = await why([...world.api.nodes.values()]);
    expect(later!.launchFailures).toEqual([]);
    expect(later!.instances.every(({ node }) => node !== null)).toBe(true);
  });

  test('an instance that is ended goes with its place, down to the minimum, and is replaced there', async () => {
    const world = testWorld([scalingGroup('a', { minSize: 1, desiredSize: 2 })]);
    const { groups } = world;
    const [first, second] = world.scaling.groups()[0]!.instances;
    const end = (id: InstanceId, decrement: boolean) => withClock(world, () => groups.terminate(A, id, decrement));
    expect(await end(first!.id, true)).toEqual({ kind: 'terminated' });
    expect(await end(first!.id, true)).toEqual({ kind: 'gone' });
    expect(await end(second!.id, true)).toMatchObject({ kind: 'failed', code: 'ValidationError' });
    expect(await end(second!.id, false)).toEqual({ kind: 'terminated' });
    await world.pass(120);
    expect(await withClock(world, () => groups.readSize(A))).toEqual({ min: 1, max: 10, target: 1, held: 1 });
    expect(world.ofKind('NodeGone')).toHaveLength(2);
    expect(world.ofKind('NodeReady')).toHaveLength(1);
  });

  test("a Job's pods end and are not made again; a smaller Deployment loses pods, those without a node first", async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
    world.controllers.apply(job('report', 2, { cpu: 1 }, seconds(30)));
    world.controllers.apply(deployment('web', 4, { cpu: 1 }));
    await world.pass(10);
    world.controllers.apply(deployment('web', 2, { cpu: 1 }));
    await world.pass(2);
    expect(world.podsOf('default/web').map(({ phase }) => phase)).toEqual(['Running', 'Running']);
    await world.pass(60);
    expect(world.podsOf('default/report').map(({ phase }) => phase)).toEqual(['Succeeded', 'Succeeded']);
    expect(world.ofKind('PodFinished')).toHaveLength(2);
    world.controllers.remove('default/web');
    await world.pass(5);
    expect(world.podsOf('default/web')).toEqual([]);
  });

  test('a smaller StatefulSet loses the pods with the highest ordinals', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 4 })]);
    const set = (pods: number) => deployment('db', pods, { cpu: 0.6 }, { kind: 'StatefulSet' });
    world.controllers.apply(set(12));
    await world.pass(70);
    world.controllers.apply(set(9));
    await world.pass(2);
    expect(world.podsOf('default/db').map(({ name }) => name)).toEqual(
      Array.from({ length: 9 }, (_, ordinal) => `db-${ordinal}`),
    );
  });

  test('what was hopeless once is not for ever, though no pod waited when the room came', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
    const large = deployment('large', 1, { cpu: 4 });
    world.controllers.apply(job('first', 1, { cpu: 4 }, seconds(60)));
    world.controllers.apply(large);
    await world.pass(10);
    world.controllers.remove('default/large');
    await world.pass(100);
    world.controllers.apply(large);
    await world.pass(10);
    expect(world.podsOf('default/large').map(({ phase }) => phase)).toEqual(['Running']);
  });

  test('the more important of two pods that wait gets the place', async () => {
    const world = testWorld([scalingGroup('a')]);
    world.controllers.apply(deployment('low', 1, { cpu: 3 }));
    await world.pass(1);
    const { spec } = deployment('high', 1, { cpu: 3 });
    world.controllers.apply(deployment('high', 1, {}, { spec: { ...spec, priority: 1_000 } }));
    await world.pass(1);
    world.scaling.setDesired(A, 1);
    await world.pass(80);
    expect(world.podsOf('default/high')[0]!.phase).toBe('Running');
    expect(world.podsOf('default/low')[0]!.nodeName).toBeNull();
  });

  test('each pod without a place is reported when it first finds none, and once more when it fails again', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
    const reported: string[] = [];
    world.onFailedScheduling(({ pod }) => reported.push(keyOf(pod)));
    world.controllers.apply(deployment('web', 6, { cpu: 2 }));
    await world.pass(5);
    world.scaling.setDesired(A, 2);
    await world.pass(100);
    expect(new Set(reported).size).toBe(4);
    expect(reported.length).toBeGreaterThan(4);
    for (const pod of reported) {
      expect(reported.filter((other) => other === pod).length).toBeLessThanOrEqual(2);
    }
  });

  test('calls from outside take time and meet the faults that were asked for', async () => {
    let failures = 1;
    const world = testWorld([scalingGroup('a')], {
      faults: {
        call: ({ operation }) =>
          operation === 'ListPods' && failures-- > 0 ? new Error('the API server is away') : null,
      },
    });
    const before = world.clock.now();
    await expect(withClock(world, () => world.reader.read())).rejects.toThrow('away');
    await expect(withClock(world, () => world.reader.read())).resolves.toMatchObject({ rejected: [] });
    expect(world.clock.now()).toBeGreaterThan(before);
  });
});

describe('laws', () => {
  const plan = fc.record({
    seed: fc.nat(1_000),
    sizes: fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 200 }), group: fc.nat(1), size: fc.integer({ min: -1, max: 9 }) }),
      { maxLength: 12 },
    ),
    loads: fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 200 }),
        name: fc.nat(3),
        pods: fc.nat(12),
        cpu: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 10 },
    ),
    crashes: fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 3 }),
  });
  type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

  async function play({ seed, sizes, loads, crashes }: Plan, check: (world: SimulatedWorld) => void) {
    const groups = [
      scalingGroup('a', { maxSize: 6, desiredSize: 1, minSize: 1 }),
      scalingGroup('b', { maxSize: 4, available: 3, zones: ['us-east-1b', 'us-east-1c'] }),
    ];
    const world = testWorld(groups, { seed, daemonSets: [agent] });
    world.onEvent(() => check(world));
    for (const { at, group, size } of sizes) {
      world.clock.after(at * 1_000, () => world.scaling.setDesired(groups[group]!.name, size));
    }
    for (const { at, name, pods, cpu } of loads) {
      world.clock.after(at * 1_000, () =>
        world.controllers.apply(
          name === 0
            ? job('w0', pods, { cpu: `${cpu * 100}m` }, seconds(20))
            : deployment(`w${name}`, pods, { cpu: `${cpu * 100}m` }),
        ),
      );
    }
    for (const at of crashes) {
      world.clock.after(at * 1_000, () => {
        const instance = world.scaling.groups().flatMap(({ instances }) => instances)[0];
        if (instance !== undefined) {
          world.scaling.fail(instance.id);
        }
      });
    }
    await world.pass(400);
    return world;
  }

  test('no node holds more than it has, no pod changes its node, no group leaves its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const homes = new Map<string, NodeName>();
        let moved = false;
        const world = await play(given, ({ api, scaling }) => {
          const cpu = new Map<NodeName, number>();
          for (const pod of api.pods.values()) {
            if (pod.nodeName !== null) {
              moved ||= (homes.get(pod.uid) ?? pod.nodeName) !== pod.nodeName;
              homes.set(pod.uid, pod.nodeName);
              if (!isFinished(pod)) {
                cpu.set(pod.nodeName, (cpu.get(pod.nodeName) ?? 0) + (podRequests(pod)['cpu'] ?? 0));
              }
            }
          }
          for (const [name, used] of cpu) {
            expect(used).toBeLessThanOrEqual(api.nodes.get(name)?.allocatable['cpu'] ?? Number.POSITIVE_INFINITY);
          }
          for (const { group, desired } of scaling.groups()) {
            expect(desired).toBeGreaterThanOrEqual(group.minSize);
            expect(desired).toBeLessThanOrEqual(group.maxSize);
          }
        });
        expect(moved).toBe(false);
        // In the end there is what was asked for, as far as the cloud has it.
        for (const { group, desired, instances } of world.scaling.groups()) {
          expect(instances.filter(({ state }) => state !== 'Deleting')).toHaveLength(
            Math.min(desired, group.available),
          );
        }
        const nodes = world.scaling.groups().flatMap(({ instances }) => instances.flatMap(({ node }) => node ?? []));
        expect([...world.api.nodes.keys()].sort()).toEqual(nodes.sort());
        // No pod waits for which there is room.
        const free = [...world.api.nodes.values()].map((node) => {
          const used = [...world.api.pods.values()]
            .filter((pod) => pod.nodeName === node.name && !isFinished(pod))
            .reduce((sum, pod) => sum + (podRequests(pod)['cpu'] ?? 0), 0);
          return node.allocatable['cpu']! - used;
        });
        const waiting = [...world.api.pods.values()].filter(({ nodeName }) => nodeName === null);
        const least = Math.min(...waiting.map((pod) => podRequests(pod)['cpu']!));
        expect(Math.max(0, ...free)).toBeLessThan(least);
      }),
      { numRuns: 30 },
    );
  });
});
