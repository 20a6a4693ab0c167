import { describe, expect, it } from 'vitest';
import { isBeingRemoved } from '../../../../core/model/cluster/removal-taints.ts';
import type { Notice } from '../../../../core/model/notice.ts';
import type { Options } from '../../../../core/model/options.ts';
import { clusterName, groupName, instanceId } from '../../../../core/model/values/names.ts';
import { addTime, epochMs, minutes } from '../../../../core/model/values/time.ts';
import { createMemoryDrains } from '../../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../../providers/memory/store.ts';
import { launchUnsuccessful } from '../../../../simulation/runtime/lambda-events.ts';
import { deployment, scalingGroup, testWorld } from '../../builders.ts';
import { startRuntime } from '../start-runtime.ts';

const WEB = clusterName('web');
const SPOT = { 'eks.amazonaws.com/capacityType': 'SPOT' };
const PODS = 4;

/**
 * Outrigger beside two Spot nodes in one zone, with two pods each, of which no more than one may be missing, and an empty
 * group of another zone.
 */
async function twoSpotNodes(options: Partial<Options> = {}) {
  const world = testWorld([
    scalingGroup('spot-a', { desiredSize: 2, labels: SPOT }),
    scalingGroup('spot-b', { zones: ['us-east-1b'], labels: SPOT }),
  ]);
  const store = createMemoryStore();
  const drains = createMemoryDrains();
  const runtime = startRuntime({
    world,
    options,
    store,
    drains,
    timeoutMs: (name) => (name === 'drain' ? 86_400_000 : 60_000),
  });
  world.controllers.apply(deployment('web', PODS, { cpu: 1.9 }, { minAvailable: PODS - 1 }));
  await world.pass(10 * 60);
  const [first, second] = world.scaling.groups()[0]!.instances;
  return {
    ...world,
    drains: () => drains.list(WEB),
    first: first!,
    second: second!,
    /** The cloud announces something, as often as it likes, and keeps its word two minutes later. */
    announce: async (given: Partial<Notice> = {}, times = 1) => {
      const notice: Notice = {
        instance: first!.id,
        group: groupName('spot-a'),
        kind: 'SpotInterruption',
        receivedAt: world.clock.now(),
        endsAt: addTime(world.clock.now(), minutes(2)),
        hook: null,
        ...given,
      };
      for (let n = 0; n < times; n += 1) {
        await store.addNotice(WEB, notice);
        runtime.report('a notice', launchUnsuccessful(world.clock.now()));
      }
      world.clock.at(epochMs(world.clock.now() + minutes(2)), () => world.scaling.fail(notice.instance));
    },
    /** The cloud says that the first instance is at risk, and does not end it. */
    recommend: async () => {
      const receivedAt = world.clock.now();
      const kind = 'RebalanceRecommendation';
      await store.addNotice(WEB, {
        instance: first!.id,
        group: groupName('spot-a'),
        kind,
        receivedAt,
        endsAt: null,
        hook: null,
      });
      runtime.report('a notice', launchUnsuccessful(receivedAt));
    },
    running: () =>
      world.podsOf('default/web').filter(({ phase, deletedAt }) => phase === 'Running' && deletedAt === null),
  };
}

describe('a Spot interruption', () => {
  it('has the pods of its node run elsewhere within two minutes, each after the other as their budget wants', async () => {
    const world = await twoSpotNodes();
    const before = world.events.length;
    await world.announce();
    await world.pass(119);
    const since = world.events.slice(before);
    expect(world.running().map(({ nodeName }) => nodeName)).not.toContain(world.first.node);
    expect(world.running()).toHaveLength(PODS);
    expect(since.filter(({ kind }) => kind === 'EvictionRefused').length).toBeGreaterThan(0);
    expect(since.filter(({ kind }) => kind === 'PodEvicted')).toHaveLength(2);
    const ended = since.filter((event) => event.kind === 'InstanceTerminated');
    expect(ended).toMatchObject([{ instance: world.first.id, decrement: true }]);
    expect(world.scaling.groups().map(({ desired }) => desired)).toEqual([1, 1]);
    expect(world.api.nodes.get(world.second.node!)).toSatisfy((node) => !isBeingRemoved(node as never));
  });

  it('is answered within seconds: the replacement is bought before the first pod is evicted', async () => {
    const world = await twoSpotNodes();
    const before = world.events.length;
    const at = world.clock.now();
    await world.announce();
    await world.pass(60);
    const since = world.events.slice(before);
    const bought = since.find((event) => event.kind === 'SizeSet' && event.group === 'spot-b');
    const evicted = since.find(({ kind }) => kind === 'PodEvicted');
    expect(bought).toBeDefined();
    expect(bought!.at - at).toBeLessThan(10_000);
    expect(evicted!.at).toBeGreaterThanOrEqual(bought!.at);
  });

  it('is one removal, however often it is announced', async () => {
    const world = await twoSpotNodes();
    await world.announce({}, 20);
    await world.pass(60);
    await world.announce({ kind: 'RebalanceRecommendation', endsAt: null }, 5);
    await world.pass(10 * 60);
    expect(world.ofKind('InstanceTerminated').filter(({ instance }) => instance === world.first.id)).toHaveLength(1);
    expect((await world.drains()).map(({ drain }) => drain.instance)).toEqual([world.first.id]);
  });

  it('of an instance that is not the cluster’s changes nothing', async () => {
    const world = await twoSpotNodes();
    const before = world.events.length;
    await world.announce({ instance: instanceId('i-of-another-cluster') });
    await world.announce({ instance: world.first.id, group: groupName('spot-b') });
    await world.pass(100);
    expect(world.events.slice(before)).toEqual([]);
    expect(await world.drains()).toEqual([]);
  });

  it('is left to AWS where the options say so', async () => {
    const world = await twoSpotNodes({ spotInterruption: 'ignore' });
    await world.announce();
    await world.pass(100);
    expect(await world.drains()).toEqual([]);
    expect(world.scaling.groups().map(({ desired }) => desired)).toEqual([2, 0]);
  });
});

describe('a rebalance recommendation', () => {
  const recommended = { kind: 'RebalanceRecommendation', endsAt: null } as const;

  it('has its node replaced first: no pod is asked to go before the replacement is ready', async () => {
    const world = await twoSpotNodes({ rebalanceRecommendation: 'replace' });
    const before = world.events.length;
    await world.recommend();
    await world.pass(8 * 60);
    const since = world.events.slice(before);
    const ready = since.find(({ kind }) => kind === 'NodeReady');
    const evicted = since.find(({ kind }) => kind === 'PodEvicted');
    expect(ready).toBeDefined();
    expect(evicted!.at).toBeGreaterThanOrEqual(ready!.at);
    expect(world.running().map(({ nodeName }) => nodeName)).not.toContain(world.first.node);
    expect(world.running()).toHaveLength(PODS);
    expect(since.filter((event) => event.kind === 'InstanceTerminated')).toMatchObject([{ instance: world.first.id }]);
    expect((await world.drains()).map(({ drain }) => drain.notice?.kind)).toEqual([recommended.kind]);
  });

  it('has its node cordoned once, where the options say so, and keeps its pods', async () => {
    const world = await twoSpotNodes({ rebalanceRecommendation: 'cordon' });
    await world.recommend();
    await world.pass(60);
    const cordoned = () =>
      (world.api.nodes.get(world.first.node!) as { readonly unschedulable: boolean }).unschedulable;
    expect(cordoned()).toBe(true);
    expect(world.running().filter(({ nodeName }) => nodeName === world.first.node)).toHaveLength(2);
    expect(await world.drains()).toEqual([]);
  });

  it('changes nothing by default', async () => {
    const world = await twoSpotNodes();
    const before = world.events.length;
    await world.recommend();
    await world.pass(5 * 60);
    expect(world.events.slice(before)).toEqual([]);
  });
});
