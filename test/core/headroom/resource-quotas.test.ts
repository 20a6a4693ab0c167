import { describe, expect, it, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { type Asking, quotaLimits } from '../../../core/headroom/resource-quotas.ts';
import type { CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { PodAffinityTerm } from '../../../core/model/cluster/pod.ts';
import type { QuotaScope, ResourceQuota } from '../../../core/model/cluster/resource-quota.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { headroomText } from '../../../core/words/headroom.ts';
import { type Amounts, pod, resources } from '../../builders.ts';
import { group, scenario } from '../../scenario-builders.ts';
import { buffer, template } from './given.ts';

interface QuotaGiven {
  readonly hard: Amounts;
  readonly used?: Amounts;
  readonly scopes?: readonly (string | QuotaScope)[];
  readonly namespace?: string;
}

const quota = (name: string, { hard, used = {}, scopes = [], namespace = 'default' }: QuotaGiven): ResourceQuota => ({
  namespace,
  name,
  hard: resources(hard),
  used: resources(used),
  scopes: scopes.map((scope) => (typeof scope === 'string' ? { name: scope, operator: 'Exists', values: [] } : scope)),
});

type PodGiven = NonNullable<Parameters<typeof pod>[1]>;

interface AskingGiven extends PodGiven {
  readonly count?: number;
  readonly classes?: readonly string[];
  readonly buffer?: Partial<CapacityBuffer>;
}

/** A buffer of five pods of one CPU and 1 GiB, unless it is said otherwise. */
const asking = (name: string, { count = 5, classes = [], buffer: given, ...of }: AskingGiven = {}): Asking => ({
  buffer: buffer(name, given),
  room: { pod: pod(name, { requests: { cpu: 1, memory: '1Gi' }, ...of }), count, priorityClasses: classes },
});

/** What each buffer is left, and by which quotas it is limited. */
const limitsOf = (quotas: readonly ResourceQuota[], all: readonly Asking[]): readonly string[] => {
  const limits = quotaLimits(all, quotas);
  return all.map(({ buffer: of, room }) => {
    const limit = limits.get(of);
    return limit === undefined ? `${room.count}` : `${limit.to} of ${limit.from}: ${limit.quotas.join(', ')}`;
  });
};

const TEN = quota('quota', { hard: { cpu: 10, memory: '10Gi' } });
const two = (scopes: QuotaGiven['scopes'] = []): readonly ResourceQuota[] => [
  quota('quota', { hard: { cpu: 2 }, scopes }),
];
const ofClass = (operator: string, ...values: string[]): QuotaScope => ({ name: 'PriorityClass', operator, values });
const affinity = (more: Partial<PodAffinityTerm>): PodAffinityTerm => ({
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: null,
  namespaces: [],
  namespaceSelector: null,
  matchLabelKeys: [],
  mismatchLabelKeys: [],
  ...more,
});

// The cases of upstream's `resourcequotas_test.go` come first.
describe('a buffer has what the quotas of its namespace leave', () => {
  it.each<[string, readonly ResourceQuota[], readonly Asking[], readonly string[]]>([
    ['all of it without quotas', [], [asking('a')], ['5']],
    ['all of it where it fits', [TEN], [asking('a')], ['5']],
    ['what the buffers before it leave', [TEN], [asking('a'), asking('b', { count: 10 })], ['5', '5 of 10: quota']],
    ['what pods leave', [quota('usage', { hard: { cpu: 10 }, used: { cpu: 8 } })], [asking('a')], ['2 of 5: usage']],
    [
      'the least that one of several leaves, and all that leave too little are named',
      [quota('q1', { hard: { cpu: 5 }, used: { cpu: 4 } }), quota('q2', { hard: { cpu: 10 }, used: { cpu: 8 } }), TEN],
      [asking('a')],
      ['1 of 5: q1, q2'],
    ],
    [
      'nothing where pods already request more than is allowed',
      [quota('full', { hard: { cpu: 2 }, used: { cpu: 3 } })],
      [asking('a')],
      ['0 of 5: full'],
    ],
    ['in whole pods', [quota('quota', { hard: { cpu: '2900m' } })], [asking('a')], ['2 of 5: quota']],
    [
      'whatever the quota has of resources that it does not request',
      [quota('gpus', { hard: { 'nvidia.com/gpu': 0 } })],
      [asking('a')],
      ['5'],
    ],
    [
      'of each quota what is left by buffers that it counts',
      [quota('cpu', { hard: { cpu: 2 } }), quota('memory', { hard: { memory: '2Gi' } })],
      [asking('a', { requests: { cpu: 1 } }), asking('b', { requests: { memory: '1Gi' } })],
      ['2 of 5: cpu', '2 of 5: memory'],
    ],
    [
      'of its own namespace',
      [quota('theirs', { hard: { cpu: 1 }, namespace: 'other' })],
      [asking('a'), asking('b', { buffer: { namespace: 'other' } })],
      ['5', '1 of 5: theirs'],
    ],
    [
      'the oldest buffer first, and by name where they are equally old',
      [quota('quota', { hard: { cpu: 7 } })],
      [
        asking('a', { buffer: { createdAt: epochMs(2_000) } }),
        asking('c', { buffer: { createdAt: epochMs(1_000) } }),
        asking('b', { buffer: { createdAt: epochMs(1_000) }, count: 1 }),
      ],
      ['1 of 5: quota', '5', '1'],
    ],
    [
      'all of it where its pods request none of what is used up',
      [quota('quota', { hard: { cpu: 0 }, used: { cpu: 1 } })],
      [asking('a', { requests: { cpu: 0, memory: '1Gi' } })],
      ['5'],
    ],
    [
      'all of it where its pods request nothing',
      [quota('quota', { hard: { cpu: 0, memory: 0 } })],
      [asking('a', { requests: {} })],
      ['5'],
    ],
  ])('%s', (_, quotas, all, expected) => {
    expect(limitsOf(quotas, all)).toEqual(expected);
  });

  const GPUS = { requests: { 'nvidia.com/gpu': 1 } };
  const LIMITED = '2 of 5: quota';
  it.each<[string, readonly ResourceQuota[], AskingGiven, string]>([
    ['Terminating counts no buffer', two(['Terminating']), {}, '5'],
    ['NotTerminating counts each', two(['NotTerminating']), {}, LIMITED],
    ['BestEffort counts no pod that requests CPU', two(['BestEffort']), {}, '5'],
    [
      'BestEffort counts pods without CPU and memory',
      [quota('quota', { hard: { 'nvidia.com/gpu': 2 }, scopes: ['BestEffort'] })],
      GPUS,
      LIMITED,
    ],
    [
      'NotBestEffort does not count them',
      [quota('quota', { hard: { 'nvidia.com/gpu': 2 }, scopes: ['NotBestEffort'] })],
      GPUS,
      '5',
    ],
    ['NotBestEffort counts pods that request CPU', two(['NotBestEffort']), {}, LIMITED],
    ['PriorityClass counts pods that have one', two(['PriorityClass']), { classes: ['high'] }, LIMITED],
    ['PriorityClass counts no others', two(['PriorityClass']), {}, '5'],
    ['a PriorityClass of a list counts its pods', two([ofClass('In', 'high', 'top')]), { classes: ['high'] }, LIMITED],
    ['a PriorityClass of a list counts no others', two([ofClass('In', 'high')]), { classes: ['low'] }, '5'],
    ['one of several that it may have is enough', two([ofClass('In', 'high')]), { classes: ['low', 'high'] }, LIMITED],
    ['a PriorityClass that is not of a list', two([ofClass('NotIn', 'high')]), { classes: ['low'] }, LIMITED],
    ['no PriorityClass is not of a list either', two([ofClass('NotIn', 'high')]), {}, LIMITED],
    ['a PriorityClass of the excluded', two([ofClass('NotIn', 'high')]), { classes: ['high'] }, '5'],
    ['DoesNotExist counts pods without a PriorityClass', two([ofClass('DoesNotExist')]), {}, LIMITED],
    ['DoesNotExist counts no others', two([ofClass('DoesNotExist')]), { classes: ['high'] }, '5'],
    ['an operator that is not known counts none', two([ofClass('Near', 'high')]), { classes: ['high'] }, '5'],
    ['a scope that is not known counts none', two(['VolumeAttributesClass']), {}, '5'],
    ['all scopes must hold', two(['NotTerminating', 'BestEffort']), {}, '5'],
    [
      'CrossNamespacePodAffinity counts pods near pods of other namespaces',
      two(['CrossNamespacePodAffinity']),
      { spec: { podAffinity: [affinity({ namespaces: ['other'] })] } },
      LIMITED,
    ],
    [
      'CrossNamespacePodAffinity counts pods that would rather be away from them',
      two(['CrossNamespacePodAffinity']),
      {
        spec: {
          preferredPodAntiAffinity: [
            { weight: 1, term: affinity({ namespaceSelector: { matchLabels: {}, matchExpressions: [] } }) },
          ],
        },
      },
      LIMITED,
    ],
    [
      'CrossNamespacePodAffinity counts no pods near those of their own namespace',
      two(['CrossNamespacePodAffinity']),
      { spec: { podAffinity: [affinity({})] } },
      '5',
    ],
  ])('where the scope says so: %s', (_, quotas, given, expected) => {
    expect(limitsOf(quotas, [asking('a', given)])).toEqual([expected]);
  });
});

describe('a decision', () => {
  const of = (given: Partial<CapacityBuffer>, scopes: QuotaGiven['scopes'] = []) =>
    evaluate(
      scenario({
        groups: [group('web')],
        pods: [pod('web', { node: 'n', owner: 'ReplicaSet/web', spec: { priority: 7 }, requests: { cpu: 1 } })],
        objects: {
          capacityBuffers: [buffer('spare', { replicas: 6, ...given })],
          podTemplates: [{ ...template('chunk', { cpu: 1 }), priorityClass: 'high' }],
          priorityClasses: [{ name: 'seven', value: 7, globalDefault: false }],
          resourceQuotas: [quota('compute', { hard: { cpu: 3 }, used: { cpu: 1 }, scopes })],
        },
        options: { capacityBuffers: true },
      }),
    ).scaleUp.headroom;

  test('holds no more room than quotas leave, and names them', () => {
    const [report] = of({})!;
    expect(report).toMatchObject({ wanted: 2, triggered: 2, limit: { from: 6, to: 2, quotas: ['compute'] } });
    expect(headroomText(report!)).toBe(
      '0 of 2 virtual pods have room, 2 get a new node; limited from 6 to 2 by the ResourceQuota compute',
    );
  });

  test('knows the PriorityClass of a template by its name, and that of running pods by its value', () => {
    expect(of({}, [ofClass('In', 'high')])).toMatchObject([{ wanted: 2 }]);
    expect(of({}, [ofClass('In', 'seven')])).toMatchObject([{ wanted: 6 }]);
    const ofWeb = { podTemplate: null, scalable: { apiGroup: 'apps', kind: 'ReplicaSet', name: 'web' } };
    expect(of(ofWeb, [ofClass('In', 'seven')])).toMatchObject([{ wanted: 2 }]);
    expect(of(ofWeb, [ofClass('In', 'high')])).toMatchObject([{ wanted: 6 }]);
  });
});
