import { describe, expect, it } from 'vitest';
import { REMOVAL_ANNOTATION } from '../../../core/drain/removal-markers.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { createActuate } from '../../../functions/actuate/actuate.ts';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { throwingAt } from '../../core/model/isolation/poison.ts';
import { node, pod } from '../../builders.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { group, NOW, running } from '../../scenario-builders.ts';
import { invocation, type TestWorld, testWorld, WEB } from '../test-world.ts';

/** Three nodes of 4 cpu: `n1` is empty, `n2` is hardly used, `n3` is well used. */
const idle = () =>
  testWorld({
    groups: [group('a', { nodes: ['n1', 'n2', 'n3'] })],
    objects: {
      nodes: ['n1', 'n2', 'n3'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [
        pod('small', { node: 'n2', requests: { cpu: '100m' }, owner: 'ReplicaSet/web' }),
        pod('large', { node: 'n3', requests: { cpu: 3 }, owner: 'ReplicaSet/web' }),
      ],
      controllers: [
        {
          kind: 'ReplicaSet',
          namespace: 'default',
          name: 'web',
          uid: pod('small', { owner: 'ReplicaSet/web' }).controller!.uid,
          replicas: 2,
          template: null,
        },
      ],
    },
  });

const evaluate = (world: TestWorld) => scaleDownHandler(world)({ cluster: WEB }, invocation());
const afterMinutes = async (world: TestWorld, minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute += 1) {
    world.time += 60_000;
    await evaluate(world);
  }
};
const remembered = (world: TestWorld) => world.store.snapshot().get(WEB)!;

describe('snapshots of what was read', () => {
  /** How many intents there were when they were stored, each time. */
  const storing = (world: TestWorld): number[] => {
    const stored: number[] = [];
    const reader = world.cluster(WEB)!.reader as { saveSnapshots?: () => Promise<void> };
    reader.saveSnapshots = async () => void stored.push(remembered(world)?.intents.length ?? 0);
    return stored;
  };

  it('are stored when an evaluation is done, after what it has decided', async () => {
    const world = idle();
    const stored = storing(world);
    await afterMinutes(world, 12);
    expect(stored.slice(0, 2)).toEqual([0, 0]);
    expect(stored).toContain(1);
  });

  it('are not stored by an evaluation that fails, or that others were committed during', async () => {
    const world = idle();
    const stored = storing(world);
    world.readErrors.push(new Error('the API server is away'));
    await expect(evaluate(world)).rejects.toThrow('away');
    expect(stored).toEqual([]);
  });
});

describe('nodes that are not needed', () => {
  it('stay while the cloud updates their group, which is asked about only before a node of it is removed', async () => {
    const world = idle();
    world.groups.updating.add(groupName('a'));
    await afterMinutes(world, 10);
    expect(world.groups.askedForUpdates).toEqual([]);
    await afterMinutes(world, 3);
    expect(world.groups.askedForUpdates).toEqual(['a']);
    expect(remembered(world)).toMatchObject({ intents: [], state: { deletionsInProgress: [] } });
    expect((await world.store.lastDecision(WEB))!.scaleDown.unremovable).toContainEqual(
      expect.objectContaining({ node: 'n1' }),
    );
    world.groups.updating.clear();
    await afterMinutes(world, 12);
    expect(remembered(world).intents).toMatchObject([{ kind: 'RemoveNodes' }]);
  });

  it('are to leave when they have not been needed for long enough, with what drains need to know', async () => {
    const world = idle();
    await evaluate(world);
    expect(remembered(world).intents).toEqual([]);
    await afterMinutes(world, 11);
    expect(remembered(world).intents).toMatchObject([
      {
        kind: 'RemoveNodes',
        group: 'a',
        nodes: [
          { node: 'n1', uid: 'uid-n1', instance: 'i-a-0', kind: 'empty' },
          { node: 'n2', uid: 'uid-n2', instance: 'i-a-1', kind: 'drain' },
        ],
      },
    ]);
    expect(remembered(world).state.deletionsInProgress.map((one) => one.node)).toEqual(['n1', 'n2']);
    expect(world.counts.get('ScaleDownNodes')).toBe(2);
    const line = world.lines.find(({ message }) => message.includes('remove'));
    expect(line?.message).toContain('remove n1 (empty), n2 (1 pod to move)');
  });

  it('are decided about once', async () => {
    const world = idle();
    await evaluate(world);
    await afterMinutes(world, 14);
    const { intents } = remembered(world);
    expect(intents).toHaveLength(1);
    await createActuate(world)({ resume: WEB }, invocation());
    await afterMinutes(world, 1);
    expect(world.started.map(({ ids }) => ids)).toHaveLength(2);
    expect(remembered(world).state.deletionsInProgress.map((one) => one.node)).toEqual(['n1', 'n2']);
  });

  it('stay in a dry run, which says when they would go', async () => {
    const world = idle();
    const dry = { ...world, dryRun: true };
    for (let minute = 0; minute <= 11; minute += 1) {
      world.time = NOW + minute * 60_000;
      await evaluate({ ...dry, time: world.time });
    }
    const said = world.lines.map(({ message }) => message).filter((message) => message.includes('remove'));
    expect(said).toEqual([expect.stringMatching(/remove n1 \(empty\), n2 \(1 pod to move\).*\(dry run\)/)]);
    // State that an acting deployment has of this cluster is not touched.
    expect([...world.store.snapshot()]).toMatchObject([
      ['web/dry-run', { intents: [], state: { deletionsInProgress: [], scaleDownRequests: [] } }],
    ]);
    expect(world.nodeChanges).toEqual([]);
  });

  it('stay in a dry run beside a deployment that acts, each with clocks of its own', async () => {
    const world = idle();
    await evaluate(world);
    await afterMinutes(world, 9);
    const { version, state } = remembered(world);
    await evaluate({ ...world, dryRun: true });
    expect(remembered(world)).toMatchObject({ version, state });
    world.time += 2 * 60_000;
    await evaluate({ ...world, dryRun: true });
    expect(world.lines.filter(({ message }) => message.includes('remove'))).toEqual([]);
    await evaluate(world);
    expect(remembered(world).intents).toHaveLength(1);
  });

  it('start their time anew when there was no evaluation for more than five minutes', async () => {
    const world = idle();
    await evaluate(world);
    await afterMinutes(world, 9);
    world.time += 5 * 60_000 + 1;
    await evaluate(world);
    expect(remembered(world).intents).toEqual([]);
    expect(remembered(world).state.unneededSince).toEqual({ n1: world.time, n2: world.time });
    await afterMinutes(world, 10);
    expect(remembered(world).intents).toEqual([]);
    await afterMinutes(world, 1);
    expect(remembered(world).intents).toHaveLength(1);
  });
});

describe('soft taints', () => {
  const tainted = (world: TestWorld) =>
    world.nodeChanges.map(([name, { addTaints, removeTaints }]) => [
      name,
      addTaints.map(({ key, value, effect }) => `${key}=${value}:${effect}`),
      removeTaints.map(({ key }) => key),
    ]);

  it('say which nodes are not needed, and since when', async () => {
    const world = idle();
    await evaluate(world);
    const taint = `DeletionCandidateOfClusterAutoscaler=${NOW / 1_000}:PreferNoSchedule`;
    expect(tainted(world)).toEqual([
      ['n1', [taint], []],
      ['n2', [taint], []],
    ]);
  });

  it('come off nodes that are needed', async () => {
    const world = idle();
    const taint = { key: 'DeletionCandidateOfClusterAutoscaler', value: '1', effect: 'PreferNoSchedule' };
    const nodes = world.objects.nodes!.map((of) => (of.name === 'n3' ? { ...of, taints: [taint] } : of));
    world.objects = { ...world.objects, nodes };
    await evaluate(world);
    expect(tainted(world)[0]).toEqual(['n3', [], [taint.key]]);
  });

  it('are left to the next evaluation when the API server has trouble', async () => {
    const world = idle();
    const { writer, ...rest } = world.cluster(WEB)!;
    const troubled = {
      ...world,
      cluster: () => ({ ...rest, writer: { ...writer, changeNode: () => Promise.reject(new Error('away')) } }),
    };
    await scaleDownHandler(troubled)({ cluster: WEB }, invocation());
    expect(world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'web: the soft taint of node n1 is left to the next evaluation',
      'web: the soft taint of node n2 is left to the next evaluation',
    ]);
  });

  it('of the other nodes are put on where one cannot be changed, and where one cannot be read', async () => {
    for (const broken of ['refused', 'poisoned']) {
      const world = idle();
      const { writer, ...rest } = world.cluster(WEB)!;
      const changeNode: typeof writer.changeNode = (name, ...more) =>
        broken === 'refused' && name === nodeName('n1')
          ? Promise.reject(new Error('away'))
          : writer.changeNode(name, ...more);
      if (broken === 'poisoned') {
        const nodes = world.objects.nodes!.map((of) => (of.name === 'n1' ? throwingAt(of, 'taints') : of));
        world.objects = { ...world.objects, nodes };
      }
      const troubled = { ...world, cluster: () => ({ ...rest, writer: { ...writer, changeNode } }) };
      await scaleDownHandler(troubled)({ cluster: WEB }, invocation());
      expect(tainted(world).map(([name]) => name)).toEqual(['n2']);
    }
  });
});

describe('when a drain has ended', () => {
  it('what has become of it is committed once', async () => {
    const world = idle();
    await evaluate(world);
    await afterMinutes(world, 11);
    await createActuate(world)({ resume: WEB }, invocation());
    const [empty] = await world.drains.list(WEB);
    const ended = {
      ...empty!.drain,
      phase: 'RolledBack' as const,
      phaseSince: world.now(),
      outcome: {
        kind: 'rolledBack' as const,
        at: world.now(),
        failure: 'FailedToDelete' as const,
        blocker: null,
        message: 'no',
        pod: null,
      },
    };
    await world.drains.save(WEB, { ...empty!, drain: ended }, empty!.revision);
    const before = remembered(world).version;
    await evaluate(world);
    const { version, state } = remembered(world);
    expect(version).toBe(before + 1);
    expect(state.deletionsInProgress.map((one) => one.node)).toEqual(['n2']);
    expect(state.lastScaleDownFailure).toBe(world.now());
    expect(Object.keys(state.unremovableUntil)).toContain('n1');
    await evaluate(world);
    expect(remembered(world).version).toBe(version);
  });
});

describe('a drain that the state does not know', () => {
  it('is found again', async () => {
    const world = idle();
    world.objects = {
      ...world.objects,
      pods: [...world.objects.pods!, pod('waits', { requests: { cpu: 2 }, createdAt: NOW })],
    };
    await world.drains.create(WEB, { drain: drainOf('n1'), attempt: 1, drivenUntil: NOW });
    await evaluate(world);
    expect(remembered(world).state.deletionsInProgress.map(({ node: name }) => name)).toEqual(['n1']);
  });
});

describe('marks of an unknown drain', () => {
  const marked = (id: string) => {
    const world = idle();
    world.objects = {
      ...world.objects,
      nodes: [
        node('n1', { cpu: 4 }, { annotations: { [REMOVAL_ANNOTATION]: id } }),
        node(
          'n2',
          { cpu: 4 },
          { taints: [{ key: 'node-lifecycle.kubernetes.io/disruption', value: 'disrupting', effect: 'NoSchedule' }] },
        ),
      ],
    };
    return world;
  };

  it('come off, and those of others stay', async () => {
    const world = marked('7-a/n1');
    await evaluate(world);
    const freed = world.nodeChanges.filter(([, change]) => REMOVAL_ANNOTATION in change.annotations);
    expect(freed.map(([name, change]) => [name, change.annotations[REMOVAL_ANNOTATION]])).toEqual([['n1', null]]);
    expect(world.events).toMatchObject([{ about: { name: 'n1' }, reason: 'ClusterAutoscalerCleanup' }]);
  });

  it('come off the other nodes where one cannot be changed', async () => {
    const world = marked('7-a/n1');
    const marks = { annotations: { [REMOVAL_ANNOTATION]: '7-a/n2' } };
    world.objects = { ...world.objects, nodes: [world.objects.nodes![0]!, node('n2', { cpu: 4 }, marks)] };
    const { writer, ...rest } = world.cluster(WEB)!;
    const changeNode: typeof writer.changeNode = (name, ...more) =>
      name === nodeName('n1') ? Promise.reject(new Error('away')) : writer.changeNode(name, ...more);
    const troubled = { ...world, cluster: () => ({ ...rest, writer: { ...writer, changeNode } }) };
    await scaleDownHandler(troubled)({ cluster: WEB }, invocation());
    expect(world.events).toMatchObject([{ about: { name: 'n2' } }]);
  });

  it('stay as long as the cloud shows the instance terminating, though its drain is forgotten', async () => {
    const world = marked('7-a/n1');
    const nodes = ['n1', 'n2', 'n3'];
    const instances = nodes.map((name, at) => ({
      ...running(`i-${at}`, name),
      ...(at === 0 ? { state: 'Deleting' as const } : {}),
    }));
    world.groups.groups = [group('a', { nodes, instances, target: 2 })];
    await evaluate(world);
    expect(world.nodeChanges.filter(([name]) => name === nodeName('n1'))).toEqual([]);
    expect(world.events).toEqual([]);
  });

  it.each([
    ['goes on', {}],
    [
      'rolls back: it takes them off itself',
      {
        phase: 'RollingBack',
        outcome: { kind: 'rolledBack', at: NOW, failure: 'FailedToDelete', blocker: null, message: 'no', pod: null },
      },
    ],
  ] as const)('stay while a drain of the node %s', async (_, drain) => {
    const world = marked('7-a/n1');
    await world.drains.create(WEB, { drain: drainOf('n1', drain), attempt: 1, drivenUntil: NOW });
    await evaluate(world);
    expect(world.nodeChanges.filter(([, change]) => REMOVAL_ANNOTATION in change.annotations)).toEqual([]);
  });

  it.each([
    ['stay on a node whose instance is terminating', { kind: 'removed', at: NOW }, 0],
    [
      'come off a node that stays',
      { kind: 'rolledBack', at: NOW, failure: 'FailedToDelete', blocker: null, message: 'no', pod: null },
      1,
    ],
  ] as const)('%s', async (_, outcome, changes) => {
    const world = marked('7-a/n1');
    const phase = outcome.kind === 'removed' ? 'Removed' : 'RolledBack';
    const drain = { ...drainOf('n1'), phase, phaseSince: NOW, outcome } as const;
    await world.drains.create(WEB, { drain, attempt: 1, drivenUntil: NOW });
    await evaluate(world);
    expect(world.nodeChanges.filter(([name]) => name === nodeName('n1'))).toHaveLength(changes);
  });
});
