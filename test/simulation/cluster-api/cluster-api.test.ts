import { describe, expect, test } from 'vitest';
import { groupName, type InstanceId } from '../../../core/model/values/names.ts';
import { apiRequest, type ApiRequest } from '../../../providers/kubernetes/client/api-request.ts';
import { DELETE_MACHINE } from '../../../simulation/cluster-api/objects.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import type { SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { scalingGroup } from '../builders.ts';
import { machineDeployment, managementCluster } from './builders.ts';

const A = machineDeployment('a', { desiredSize: 2 });

type Cluster = ReturnType<typeof managementCluster>;

const instances = (cluster: Cluster): readonly SimulatedInstance[] =>
  cluster.groups().flatMap((view) => view.instances);
const ids = (cluster: Cluster): readonly InstanceId[] => instances(cluster).map(({ id }) => id);

function mark({ store }: Cluster, id: InstanceId): void {
  const machine = store.list('Machine').find(({ metadata }) => `default/${metadata.name}` === id)!;
  store.update<'Machine'>(machine, (now) => ({
    ...now,
    metadata: { ...now.metadata, annotations: { [DELETE_MACHINE]: '' } },
  }));
}

describe('machines', () => {
  test('the first ones are there, with ready nodes of their provider IDs', () => {
    const cluster = managementCluster([A]);
    expect(instances(cluster)).toHaveLength(2);
    for (const machine of cluster.store.list('Machine')) {
      const node = cluster.api.nodes.get(machine.status.nodeRef!.name as never)!;
      expect(node.providerId).toBe(machine.spec.providerID);
      expect(isSimulatedNodeReady(node)).toBe(true);
    }
  });

  test('more replicas: a MachineSet gets them, makes machines, and their nodes come within the boot time', async () => {
    const cluster = managementCluster([A]);
    cluster.scaleElsewhere(A.name, 4);
    await cluster.pass(2);
    expect(instances(cluster).map(({ state }) => state)).toEqual(expect.arrayContaining(['Creating', 'Running']));
    expect(instances(cluster)).toHaveLength(4);
    await cluster.pass(60);
    const [set] = cluster.store.list('MachineSet');
    expect(cluster.store.list('MachineSet')).toHaveLength(1);
    expect(set!.spec.replicas).toBe(4);
    expect(set!.status).toMatchObject({ replicas: 4, readyReplicas: 4 });
    expect(cluster.api.nodes.size).toBe(4);
    expect(cluster.store.list('Machine').map(({ status }) => status.phase)).toEqual(Array(4).fill('Running'));
    expect(cluster.events.filter(({ kind }) => kind === 'NodeReady')).toHaveLength(2);
  });

  test('has its node from when it is there, before its Machine has been told of it', async () => {
    const cluster = managementCluster([A]);
    const seen: unknown[] = [];
    const nodeOf = (name: string) => instances(cluster).find(({ node }) => node === name);
    cluster.api.watch({
      node: ({ name }, before) => {
        if (before === null) {
          cluster.clock.after(1, () => {
            const told = cluster.store.list('Machine').some(({ status }) => status.nodeRef?.name === name);
            seen.push({ told, state: nodeOf(name)?.state });
          });
        }
      },
    });
    cluster.scaleElsewhere(A.name, 3);
    await cluster.pass(90);
    expect(seen).toEqual([{ told: false, state: 'Creating' }]);
  });

  test('fewer replicas: marked machines go, with their nodes, and no others', async () => {
    const cluster = managementCluster([machineDeployment('a', { desiredSize: 5 })]);
    const [, second, , fourth] = ids(cluster);
    mark(cluster, second!);
    mark(cluster, fourth!);
    cluster.scaleElsewhere(A.name, 3);
    await cluster.pass(60);
    expect(ids(cluster)).toHaveLength(3);
    expect(ids(cluster)).not.toContain(second);
    expect(ids(cluster)).not.toContain(fourth);
    expect(cluster.api.nodes.size).toBe(3);
    expect(cluster.scaledDown.map(({ instance, marked }) => [instance, marked])).toEqual([
      [second, true],
      [fourth, true],
    ]);
  });

  test('a machine on its way out counts: the marked one stays where the replicas are lowered meanwhile', async () => {
    const cluster = managementCluster([machineDeployment('a', { desiredSize: 3 })]);
    const [first, second] = ids(cluster);
    cluster.fail(first!);
    mark(cluster, second!);
    cluster.scaleElsewhere(A.name, 2);
    await cluster.pass(60);
    expect(ids(cluster)).toHaveLength(2);
    expect(ids(cluster)).toContain(second);
    expect(cluster.scaledDown).toEqual([]);
  });

  test('one that fails by itself is replaced once it is gone', async () => {
    const cluster = managementCluster([A]);
    const [first, second] = ids(cluster);
    cluster.fail(first!);
    await cluster.pass(2);
    expect(ids(cluster)).toHaveLength(2);
    await cluster.pass(60);
    expect(ids(cluster)).toHaveLength(2);
    expect(ids(cluster)).not.toContain(first);
    expect(ids(cluster)).toContain(second);
  });

  test('who has lowered the replicas answers for an unmarked machine', async () => {
    const cluster = managementCluster([A]);
    cluster.scaleElsewhere(A.name, 1);
    await cluster.pass(2);
    expect(cluster.scaledDown).toMatchObject([{ group: A.name, marked: false, elsewhere: true }]);
  });

  test('a bare MachineSet is a group of its own', async () => {
    const set = scalingGroup('MachineSet/default/s', { desiredSize: 1 });
    const cluster = managementCluster([set]);
    cluster.scaleElsewhere(set.name, 2);
    await cluster.pass(60);
    expect(cluster.store.list('MachineDeployment')).toEqual([]);
    expect(cluster.viewOf(set.name)).toMatchObject({
      desired: 2,
      instances: [{ state: 'Running' }, { state: 'Running' }],
    });
  });

  test.each([
    [{ ...A, name: groupName('a') }, 'MachineDeployment/NAMESPACE/NAME'],
    [{ ...A, zones: ['us-east-1a', 'us-east-1b'] }, 'is to have one zone'],
  ])('a group that no MachineDeployment can be is refused', (group, message) => {
    expect(() => managementCluster([group])).toThrow(message);
  });
});

describe('trouble', () => {
  test('a refused instance fails its Machine for good, and it stays until it is deleted', async () => {
    const error = { class: 'Quota', code: 'VcpuLimitExceeded', message: 'too many' } as const;
    const cluster = managementCluster([A], { launch: () => error });
    cluster.scaleElsewhere(A.name, 3);
    await cluster.pass(200);
    expect(
      cluster.store
        .list('Machine')
        .map(({ status }) => status.phase)
        .toSorted(),
    ).toEqual(['Failed', 'Running', 'Running']);
    expect(cluster.viewOf(A.name).error).toMatchObject(error);
    expect(cluster.events.filter(({ kind }) => kind === 'LaunchFailed')).toHaveLength(1);
  });

  test('or it is asked for again, until there is one', async () => {
    let refusals = 2;
    const cluster = managementCluster([A], {
      launch: () => (refusals-- > 0 ? { class: 'OutOfResources', code: 'None', message: '' } : null),
      isTerminal: () => false,
    });
    cluster.scaleElsewhere(A.name, 3);
    await cluster.pass(100);
    expect(cluster.viewOf(A.name).error).toMatchObject({ code: 'None' });
    expect(instances(cluster).filter(({ failed }) => failed)).toHaveLength(1);
    await cluster.pass(150);
    expect(cluster.viewOf(A.name).error).toBeNull();
    expect(cluster.api.nodes.size).toBe(3);
  });

  test('the cloud has no more instances than are available', async () => {
    const cluster = managementCluster([{ ...A, available: 3 }]);
    cluster.scaleElsewhere(A.name, 5);
    await cluster.pass(100);
    expect(instances(cluster).filter(({ failed }) => failed)).toHaveLength(2);
    expect(cluster.api.nodes.size).toBe(3);
  });

  test('a machine that is stuck keeps its place for longer', async () => {
    const cluster = managementCluster([A], { deletion: () => 300_000 });
    mark(cluster, ids(cluster)[0]!);
    cluster.scaleElsewhere(A.name, 1);
    await cluster.pass(100);
    expect(
      instances(cluster)
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['Deleting', 'Running']);
    await cluster.pass(300);
    expect(instances(cluster)).toHaveLength(1);
  });

  test('a paused MachineDeployment is left alone until it is not', async () => {
    const cluster = managementCluster([A]);
    cluster.setPaused(A.name, true);
    cluster.scaleElsewhere(A.name, 4);
    await cluster.pass(100);
    expect(instances(cluster)).toHaveLength(2);
    cluster.setPaused(A.name, false);
    await cluster.pass(2);
    expect(instances(cluster)).toHaveLength(4);
  });

  test('a rollout replaces the machines one by one, and never has fewer ready ones than replicas', async () => {
    const cluster = managementCluster([machineDeployment('a', { desiredSize: 3 })]);
    const before = ids(cluster);
    cluster.rollOut(A.name);
    let fewest = 3;
    for (let n = 0; n < 300; n += 1) {
      await cluster.pass(1);
      const staying = instances(cluster).filter(({ state, node }) => state !== 'Deleting' && node !== null);
      fewest = Math.min(fewest, staying.length);
    }
    expect(fewest).toBe(3);
    expect(ids(cluster)).toHaveLength(3);
    expect(ids(cluster).filter((id) => before.includes(id))).toEqual([]);
    expect(
      cluster.store
        .list('MachineSet')
        .map(({ spec }) => spec.replicas)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 3]);
    expect(cluster.scaledDown.every(({ elsewhere }) => elsewhere)).toBe(true);
  });

  test('with the strategy OnDelete a new template changes no machine, until the size is changed', async () => {
    const cluster = managementCluster([machineDeployment('a', { desiredSize: 3 })]);
    const before = ids(cluster);
    const versions = () => instances(cluster).map(({ version }) => version);
    await cluster.pass(2);
    cluster.changeTemplate(A.name);
    await cluster.pass(60);
    expect([ids(cluster), versions()]).toEqual([before, [1, 1, 1]]);
    cluster.scaleElsewhere(A.name, 4);
    await cluster.pass(100);
    expect(versions().toSorted((a, b) => a! - b!)).toEqual([1, 1, 1, 2]);
    cluster.changeTemplate(A.name);
    cluster.scaleElsewhere(A.name, 1);
    await cluster.pass(300);
    // The oldest MachineSet loses its machines first.
    expect(versions()).toEqual([2]);
  });

  describe('a mark that another client removes', () => {
    const B = machineDeployment('b', { desiredSize: 4 });
    const request = (resource: string, name: string, subresource: string | null, patch: unknown): ApiRequest =>
      apiRequest(
        'patch',
        { group: 'cluster.x-k8s.io', version: 'v1beta2', resource },
        {
          namespace: 'default',
          name,
          subresource,
          body: { contentType: 'application/merge-patch+json', text: JSON.stringify(patch) },
        },
      );
    const marked = (cluster: Cluster, id: InstanceId): Promise<unknown> =>
      cluster.send(
        request('machines', id.split('/')[1]!, null, { metadata: { annotations: { [DELETE_MACHINE]: 'now' } } }),
      );
    const scaled = (cluster: Cluster, replicas: number): Promise<unknown> =>
      cluster.send(request('machinedeployments', 'b', 'scale', { spec: { replicas } }));
    const losing = (after: readonly number[]): Cluster => {
      const times = [...after];
      return managementCluster([B], { lostMark: () => times.shift() ?? null });
    };
    const taken = ({ scaledDown }: Cluster): readonly [boolean, boolean][] =>
      scaledDown.map(({ marked: was, elsewhere }) => [was, elsewhere]);
    const terminated = ({ events }: Cluster): readonly string[] =>
      events.flatMap(({ kind }) => (kind === 'InstanceTerminated' || kind === 'TerminationMissed' ? [kind] : []));

    test('after the replicas were lowered for it answers for one unmarked machine, and no other', async () => {
      const cluster = losing([1_050]);
      const last = ids(cluster).at(-1)!;
      await marked(cluster, last);
      await cluster.pass(1);
      await scaled(cluster, 3);
      await cluster.pass(60);
      expect(ids(cluster)).toContain(last);
      expect(taken(cluster)).toEqual([[false, true]]);
      expect(terminated(cluster)).toEqual(['InstanceTerminated', 'TerminationMissed']);
      await scaled(cluster, 2);
      await cluster.pass(60);
      expect(taken(cluster)).toEqual([
        [false, true],
        [false, false],
      ]);
    });

    test('does not matter where the marked one is on its way out already: the replicas are lowered with it', async () => {
      const cluster = losing([]);
      const last = ids(cluster).at(-1)!;
      await marked(cluster, last);
      cluster.fail(last);
      await scaled(cluster, 3);
      await cluster.pass(60);
      expect(ids(cluster)).toHaveLength(3);
      expect(ids(cluster)).not.toContain(last);
      expect(taken(cluster)).toEqual([]);
      expect(terminated(cluster)).toEqual(['InstanceTerminated']);
    });

    test('long before the replicas are lowered answers for none', async () => {
      const cluster = losing([100]);
      await marked(cluster, ids(cluster).at(-1)!);
      cluster.clock.after(10_000, () => {});
      await cluster.pass(10);
      await scaled(cluster, 3);
      await cluster.pass(60);
      expect(taken(cluster)).toEqual([[false, false]]);
    });

    test('after its own client has removed it answers for none', async () => {
      const cluster = losing([1_500]);
      const last = ids(cluster).at(-1)!;
      await marked(cluster, last);
      await cluster.send(
        request('machines', last.split('/')[1]!, null, { metadata: { annotations: { [DELETE_MACHINE]: null } } }),
      );
      await cluster.pass(2);
      await scaled(cluster, 3);
      await cluster.pass(60);
      expect(taken(cluster)).toEqual([[false, false]]);
    });

    test('and that is set again answers for none', async () => {
      const cluster = losing([1_050]);
      const last = ids(cluster).at(-1)!;
      cluster.setPaused(B.name, true);
      await marked(cluster, last);
      await cluster.pass(1);
      await scaled(cluster, 3);
      await cluster.pass(1);
      await marked(cluster, last);
      await scaled(cluster, 2);
      cluster.setPaused(B.name, false);
      await cluster.pass(60);
      expect(ids(cluster)).not.toContain(last);
      expect(taken(cluster)).toHaveLength(2);
      expect(taken(cluster)).toEqual(
        expect.arrayContaining([
          [false, false],
          [true, false],
        ]),
      );
    });
  });

  test('equal seeds, equal histories', async () => {
    const history = async (seed: number): Promise<string> => {
      const cluster = managementCluster([A], {}, seed);
      cluster.scaleElsewhere(A.name, 6);
      await cluster.pass(100);
      return JSON.stringify([cluster.events, cluster.store.list('Machine')]);
    };
    expect(await history(3)).toBe(await history(3));
    expect(await history(3)).not.toBe(await history(4));
  });
});
