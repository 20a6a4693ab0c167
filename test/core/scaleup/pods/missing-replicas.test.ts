import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../../core/evaluate.ts';
import type { Controller, ControllerKind } from '../../../../core/model/cluster/workloads.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { ResourceQuota } from '../../../../core/model/cluster/resource-quota.ts';
import { addTime, minutes, seconds } from '../../../../core/model/values/time.ts';
import { nodeName } from '../../../../core/model/values/names.ts';
import { node, type PodOptions, pod } from '../../../builders.ts';
import { group, NOW, scenario, type ScenarioGiven, times } from '../../../scenario-builders.ts';

const ago = (duration: number) => addTime(NOW, -duration as typeof duration & ReturnType<typeof seconds>);

const controller = (owner: string, replicas: number, namespace = 'default'): Controller => {
  const [kind, name] = owner.split('/') as [ControllerKind, string];
  return { kind, namespace, name, uid: `uid-${owner}`, replicas, template: null };
};

/** Pods of 1 cpu that no node has room for, created a second apart, the last one now. */
const created = (owner: string, count: number, given: PodOptions = {}): readonly Pod[] =>
  times(count, (i) =>
    pod(`${owner.split('/')[1]}-${i}`, {
      owner,
      requests: { cpu: 1 },
      createdAt: ago(seconds(count - 1 - i)),
      ...given,
    }),
  );

/** Nodes of 4 cpu: four pods fit one. */
const decided = (given: ScenarioGiven) =>
  evaluateScaleUp(
    scenario({
      groups: [group('web', { max: 1_000, node: { cpu: 4, memory: '16Gi', pods: 110 } })],
      ...given,
      options: { enableProactiveScaleup: true, ...given.options },
    }),
  );
const grown = (given: ScenarioGiven): number =>
  decided(given).scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

describe('pods that a controller is about to create', () => {
  it.each(['ReplicaSet/web', 'StatefulSet/web', 'Job/web', 'ReplicationController/web'])(
    'of %s get their nodes with the first pod',
    (owner) => {
      const given = { pods: created(owner, 1), objects: { controllers: [controller(owner, 40)] } };
      expect(grown(given)).toBe(10);
      expect(grown({ ...given, options: { enableProactiveScaleup: false } })).toBe(1);
    },
  );

  it('are those that do not exist yet: running and pending pods count, ended and deleted ones do not', () => {
    const pods = [
      ...created('ReplicaSet/web', 6),
      ...times(3, (i) => pod(`run-${i}`, { owner: 'ReplicaSet/web', requests: { cpu: 1 }, node: 'n1' })),
      pod('ended', { owner: 'ReplicaSet/web', requests: { cpu: 1 }, node: 'n1', phase: 'Failed' }),
      pod('deleted', { owner: 'ReplicaSet/web', requests: { cpu: 1 }, node: 'n1', deletedAt: NOW }),
    ];
    const given = {
      pods,
      nodes: [node('n1', { cpu: 4 })],
      objects: { controllers: [controller('ReplicaSet/web', 13)] },
    };
    const { headroom } = decided(given).scaleUp;
    expect(headroom).toMatchObject([{ source: 'ReplicaSet', name: 'default/web', wanted: 4, triggered: 4 }]);
    expect(decided({ ...given, objects: { controllers: [controller('ReplicaSet/web', 9)] } }).scaleUp.headroom).toBe(
      undefined,
    );
  });

  it('are no more than evicted pods that it is to create again: both are the same pods', () => {
    const recentEvictions = times(3, (i) =>
      pod(`gone-${i}`, { owner: 'ReplicaSet/web', requests: { cpu: 1 }, node: 'n9', createdAt: NOW }),
    );
    const given = { objects: { controllers: [controller('ReplicaSet/web', 5)] }, state: { recentEvictions } };
    expect(decided({ ...given, pods: created('ReplicaSet/web', 2) }).scaleUp.headroom).toBeUndefined();
    expect(grown({ ...given, pods: created('ReplicaSet/web', 1) })).toBe(2);
  });

  it.each<[string, PodOptions]>([
    ['was created more than five minutes ago: the controller is stuck', { createdAt: ago(minutes(5) + seconds(1)) }],
    ['has a scheduling gate', { spec: { schedulingGates: ['kueue'] } }],
    ['is expendable', { spec: { priority: -20 } }],
    ['is planned together with others', { annotations: { 'outrigger.dev/atomic': 'true' } }],
    ['is of a controller that is not listed', { owner: 'ReplicaSet/other' }],
  ])('do not count where its newest pod %s', (_, given) => {
    const pods = created('ReplicaSet/web', 1, given);
    expect(decided({ pods, objects: { controllers: [controller('ReplicaSet/web', 40)] } }).scaleUp.headroom).toBe(
      undefined,
    );
  });

  it('are no more than the quotas of their namespace admit', () => {
    const quota: ResourceQuota = {
      namespace: 'default',
      name: 'compute',
      hard: { cpu: 10_000 },
      used: { cpu: 2_000 },
      scopes: [],
    };
    const given = {
      pods: created('ReplicaSet/web', 2),
      objects: { controllers: [controller('ReplicaSet/web', 40)], resourceQuotas: [quota] },
    };
    expect(decided(given).scaleUp.headroom).toMatchObject([
      { wanted: 8, limit: { from: 38, to: 8, quotas: ['compute'] } },
    ]);
    expect(grown(given)).toBe(3);
    const two = {
      pods: [...given.pods, ...created('Job/batch', 1)],
      objects: { ...given.objects, controllers: [...given.objects.controllers, controller('Job/batch', 6)] },
    };
    expect(decided(two).scaleUp.headroom).toMatchObject([
      { name: 'default/batch', wanted: 5 },
      { name: 'default/web', wanted: 3 },
    ]);
  });

  it('are podInjectionLimit at most, which namespaces share', () => {
    const small = { namespace: 'small' };
    const pods = [...created('ReplicaSet/web', 1), ...created('ReplicaSet/few', 1, small)];
    const controllers = [controller('ReplicaSet/web', 1_000), controller('ReplicaSet/few', 5, 'small')];
    const { headroom } = decided({ pods, objects: { controllers }, options: { podInjectionLimit: 20 } }).scaleUp;
    expect(headroom).toMatchObject([
      { name: 'default/web', wanted: 16, problem: 'limited from 999 to 16: podInjectionLimit is 20' },
      { name: 'small/few', wanted: 4 },
    ]);
  });

  it('keep the nodes that they are about to run on', () => {
    const given = {
      groups: [group('web', { nodes: ['n1', 'n2'], node: { cpu: 4, memory: '16Gi' } })],
      nodes: times(2, (i) => node(`n${i + 1}`, { cpu: 4, memory: '15838Mi' })),
      pods: created('ReplicaSet/web', 1, { node: 'n1' }),
      objects: { controllers: [controller('ReplicaSet/web', 8)] },
      state: { unneededSince: { [nodeName('n2')]: ago(minutes(60)) } },
    };
    const removed = (enableProactiveScaleup: boolean) =>
      evaluateScaleDown(scenario({ ...given, options: { enableProactiveScaleup } })).scaleDown.removals;
    expect(removed(false)).toMatchObject([{ node: 'n2' }]);
    expect(removed(true)).toEqual([]);
  });
});
