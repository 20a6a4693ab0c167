import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../core/model/values/names.ts';
import type { WriteOutcome } from '../../../core/model/answers.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { node, pod } from '../../builders.ts';
import { throwingAt } from '../../core/model/isolation/poison.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { group, NOW, times } from '../../scenario-builders.ts';
import { notification, invocation, sqsEvent, type TestWorld, testWorld, WEB } from '../test-world.ts';

const AN_HOUR_AGO = String(Math.floor(NOW / 1_000) - 3_600);
const LEFT = {
  unschedulable: true,
  taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: AN_HOUR_AGO, effect: 'NoSchedule' }],
};

/** A pod waits, and would fit the first of these nodes, all of which a Cluster Autoscaler has left marked. */
const left = (count = 1, dryRun = false): TestWorld => {
  const names = times(count, (i) => `n${String(i).padStart(2, '0')}`);
  return testWorld({
    groups: [group('a', { min: count, nodes: names })],
    objects: {
      nodes: names.map((name) => node(name, { cpu: 4, memory: '16Gi' }, LEFT)),
      pods: [pod('p', { requests: { cpu: 3 }, unscheduled: { reason: 'Unschedulable', since: null } })],
    },
    dryRun,
  });
};

const answering = (world: TestWorld, changeNode: () => Promise<WriteOutcome>): TestWorld => ({
  ...world,
  cluster: (name) => {
    const cluster = world.cluster(name)!;
    return { ...cluster, writer: { ...cluster.writer, changeNode } };
  },
});

const evaluate = async (world: TestWorld): Promise<void> => {
  expect(await scaleUpHandler(world)(sqsEvent(notification), invocation())).toEqual({ batchItemFailures: [] });
};
const bought = (world: TestWorld) =>
  (world.store.snapshot().get(WEB)?.intents ?? []).flatMap((intent) => (intent.kind === 'SetSize' ? intent.to : []));

describe('a node that a Cluster Autoscaler has left tainted and cordoned', () => {
  it('is freed before anything is decided: no node is bought for the pod that finds its place there', async () => {
    const world = left();
    await evaluate(world);
    expect(world.nodeChanges).toEqual([
      [
        nodeName('n00'),
        {
          addTaints: [],
          removeTaints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: null }],
          unschedulable: false,
          labels: {},
          annotations: {},
        },
      ],
    ]);
    expect(world.events).toMatchObject([{ about: { name: 'n00' }, reason: 'ClusterAutoscalerCleanup' }]);
    expect(bought(world)).toEqual([]);
  });

  it('and of which one cannot be read holds no evaluation up', async () => {
    const world = left(2);
    world.objects = {
      ...world.objects,
      nodes: world.objects.nodes!.map((of, i) => (i === 0 ? throwingAt(of, 'taints') : of)),
    };
    await evaluate(world);
    expect(world.lines.some(({ message }) => /left marked could not be determined/.test(message))).toBe(true);
    expect(world.store.snapshot().get(WEB)?.version).toBeGreaterThan(0);
  });

  it.each<[string, () => Promise<WriteOutcome>]>([
    ['is refused', () => Promise.resolve({ kind: 'failed', code: 'Forbidden', message: 'no' })],
    ['does not come through', () => Promise.reject(new Error('away'))],
  ])('and whose change %s holds no pod up: a node is bought', async (_, changeNode) => {
    const world = answering(left(), changeNode);
    await evaluate(world);
    expect(bought(world)).toEqual([2]);
    expect(world.events.filter(({ about }) => about.kind === 'Node')).toEqual([]);
  });

  it('is left as it is in a dry run', async () => {
    const world = left(1, true);
    await evaluate(world);
    expect(world.nodeChanges).toEqual([]);
    expect(world.events.filter(({ about }) => about.kind === 'Node')).toEqual([]);
  });

  it('is left as it is while a drain of it is known', async () => {
    const world = left();
    await world.drains.create(WEB, { drain: drainOf('n00'), attempt: 1, drivenUntil: NOW });
    await evaluate(world);
    expect(world.nodeChanges).toEqual([]);
  });

  it('is one of ten at most that are freed at a time', async () => {
    const world = left(12);
    await evaluate(world);
    expect(world.nodeChanges).toHaveLength(10);
  });

  it('that cannot be freed does not keep the others from it', async () => {
    const world = left(12);
    const refused: string[] = [];
    const { writer } = world.cluster(WEB)!;
    const some: TestWorld = {
      ...world,
      cluster: (name) => ({
        ...world.cluster(name)!,
        writer: {
          ...writer,
          changeNode: async (of, uid, change) => {
            if (of < 'n11') {
              refused.push(of);
              return { kind: 'failed', code: 'Forbidden', message: 'no' };
            }
            return await writer.changeNode(of, uid, change);
          },
        },
      }),
    };
    await evaluate(some);
    expect(refused).toHaveLength(11);
    expect(world.nodeChanges.map(([name]) => name)).toEqual(['n11']);
  });
});
