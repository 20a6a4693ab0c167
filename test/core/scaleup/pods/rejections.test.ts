import { describe, expect, it, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { PodRejection } from '../../../../core/model/decision.ts';
import type { ClusterObjects } from '../../../../core/model/scenario.ts';
import { MOST_SHAPES } from '../../../../core/scaleup/pods/rejections.ts';
import { claim, claimVolumes, controller, pod, type PodOptions, volume } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const GPU_TAINT = { key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' };
const AGENT = controller('DaemonSet/agent', {
  namespace: 'kube-system',
  template: pod('agent', {
    namespace: 'kube-system',
    requests: { cpu: '150m' },
    spec: { tolerations: [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }] },
  }),
});

const WEB = group('web', {
  node: { cpu: '1930m', memory: '7082828Ki' },
  zone: 'us-east-1a',
  labels: { pool: 'web', generation: '5' },
});
const GPU = group('gpu', {
  node: { cpu: '7910m', memory: '30502444Ki', 'nvidia.com/gpu': 1 },
  zone: 'us-east-1b',
  taints: [GPU_TAINT],
});

const rejections = (
  pods: readonly Pod[],
  groups: readonly NodeGroup[] = [WEB, GPU],
  objects: Partial<ClusterObjects> = {},
): readonly PodRejection[] =>
  evaluate(scenario({ groups, pods, objects: { controllers: [AGENT], ...objects } })).scaleUp.rejections ?? [];

/** Unmet needs of a pod by group, and the nearest group. */
function rejectionOf(given: PodOptions, groups?: readonly NodeGroup[], objects?: Partial<ClusterObjects>) {
  const [rejection] = rejections([pod('p', given)], groups, objects);
  return {
    lacks: Object.fromEntries(rejection!.groups.flatMap(({ groups: of, unmet }) => of.map((one) => [one, unmet]))),
    nearest: `${rejection!.nearest.group}, ${rejection!.nearest.remedy}`,
  };
}

describe('a pod that no node group can hold is told', () => {
  it('what it asks for, what a new node has, and what DaemonSets leave of it', () => {
    expect(rejectionOf({ requests: { cpu: 48 } })).toEqual({
      lacks: {
        web: ['asks for 48 CPU; a new node has 1.93, 1.78 after DaemonSets'],
        gpu: [
          'does not tolerate the taint nvidia.com/gpu=true:NoSchedule',
          'asks for 48 CPU; a new node has 7.91, 7.76 after DaemonSets',
        ],
      },
      nearest: 'web, with a request of at most 1.78 CPU',
    });
  });

  it('memory so that a difference of some KiB is seen', () => {
    expect(rejectionOf({ requests: { memory: '7082829Ki' } }, [WEB])).toEqual({
      lacks: { web: ['asks for 6.755 GiB of memory; a new node has 6.754'] },
      nearest: 'web, with a request of at most 6.754 GiB of memory',
    });
  });

  it('the taint, and the toleration that would do', () => {
    expect(rejectionOf({ requests: { cpu: 4, 'nvidia.com/gpu': 1 } })).toEqual({
      lacks: {
        gpu: ['does not tolerate the taint nvidia.com/gpu=true:NoSchedule'],
        web: [
          'asks for 4 CPU; a new node has 1.93, 1.78 after DaemonSets',
          'asks for 1 nvidia.com/gpu; a new node has none',
        ],
      },
      nearest: 'gpu, with the toleration nvidia.com/gpu',
    });
  });

  test.each([
    {
      asks: 'a label',
      spec: { nodeSelector: { pool: 'batch' } },
      unmet: 'wants pool=batch; a new node has web',
      nearest: 'web, with pool=batch on its nodes',
    },
    {
      asks: 'a label that no node has',
      spec: { nodeSelector: { disk: 'ssd' } },
      unmet: 'wants disk=ssd; a new node has no such label',
      nearest: 'web, with disk=ssd on its nodes',
    },
    {
      asks: 'another zone',
      spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1c' } },
      unmet: 'wants topology.kubernetes.io/zone=us-east-1c; a new node has us-east-1a',
      nearest: 'web, with another node selector or affinity for topology.kubernetes.io/zone',
    },
    {
      asks: 'one of several values, in the nearer of two terms',
      spec: {
        nodeAffinity: [
          {
            matchExpressions: [
              { key: 'pool', operator: 'In', values: ['a', 'b'] },
              { key: 'disk', operator: 'Exists', values: [] },
            ],
            matchFields: [],
          },
          { matchExpressions: [{ key: 'generation', operator: 'Gt', values: ['6'] }], matchFields: [] },
        ],
      },
      unmet: 'wants generation > 6; a new node has 5',
      nearest: 'web, with generation > 6 on its nodes',
    },
  ])('$asks: $unmet', ({ spec, unmet, nearest }) => {
    expect(rejectionOf({ requests: { cpu: 1 }, spec }, [WEB])).toEqual({ lacks: { web: [unmet] }, nearest });
  });

  it('the zone of its volume', () => {
    const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1c'] };
    const objects = {
      persistentVolumes: [volume('pv-1', { nodeAffinity: [{ matchExpressions: [zone], matchFields: [] }] })],
      persistentVolumeClaims: [
        claim('data', { volumeName: 'pv-1', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
      ],
    };
    const volumes = claimVolumes('data');
    expect(rejectionOf({ requests: { cpu: 1 }, spec: { volumes } }, [WEB], objects)).toEqual({
      lacks: { web: ['volume pv-1 is in us-east-1c; a new node is in us-east-1a'] },
      nearest: 'web, with nodes in us-east-1c',
    });
  });

  it('that a node group which could hold it may not grow', () => {
    const full = group('web-full', { max: 0, labels: { disk: 'ssd' } });
    expect(rejectionOf({ requests: { cpu: 1 }, spec: { nodeSelector: { disk: 'ssd' } } }, [WEB, full])).toEqual({
      lacks: { 'web-full': ['max node group size reached'], web: ['wants disk=ssd; a new node has no such label'] },
      nearest: 'web-full, with a larger maximum size',
    });
  });
});

it('of node groups with as many unmet requirements, the one that lacks least is the nearest', () => {
  const groups = [group('a-small', { node: { cpu: 2 } }), group('b-large', { node: { cpu: 16 } })];
  expect(rejectionOf({ requests: { cpu: 20 } }, groups).nearest).toBe('b-large, with a request of at most 15.85 CPU');
});

it('node groups that lack the same are told of together', () => {
  const groups = ['a', 'b'].map((name) => group(name, { node: { cpu: 2 } }));
  const [rejection] = rejections([pod('p', { requests: { cpu: 4 } })], groups);
  expect(rejection!.groups.map(({ groups: of }) => of)).toEqual([['a', 'b']]);
});

it('each shape of pods is told of once, and very many shapes are not', () => {
  const same = times(3, (i) => pod(`same-${i}`, { requests: { cpu: 50 } }));
  expect(rejections(same).map(({ pods }) => pods)).toEqual([['default/same-0', 'default/same-1', 'default/same-2']]);
  const shapes = times(MOST_SHAPES + 5, (i) => pod(`shape-${i}`, { requests: { cpu: 50 + i } }));
  expect(rejections(shapes)).toHaveLength(MOST_SHAPES);
});

it('a pod that gets a node is not told of', () => {
  expect(rejections([pod('p', { requests: { cpu: 1 } })])).toEqual([]);
});
