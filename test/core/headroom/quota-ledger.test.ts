import { describe, expect, it, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { createQuotaLedger, type QuotaDemand } from '../../../core/headroom/quota-ledger.ts';
import type { CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { PodAffinityTerm } from '../../../core/model/cluster/pod.ts';
import type { QuotaScope, ResourceQuota } from '../../../core/model/cluster/resource-quota.ts';
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

interface DemandGiven extends PodGiven {
  readonly count?: number;
  readonly classes?: readonly string[];
  readonly namespace?: string;
  /** By container; absent: not read. */
  readonly limits?: Amounts;
}

/** Five pods of one CPU and 1 GiB, unless it is said otherwise. */
const demand = (
  name: string,
  { count = 5, classes = [], namespace = 'default', limits, ...of }: DemandGiven = {},
): QuotaDemand => ({
  namespace,
  pod: pod(name, { requests: { cpu: 1, memory: '1Gi' }, ...of }),
  count,
  priorityClasses: classes,
  limits: limits && pod(name, { requests: limits }).spec,
});

/** Grants of the demands in turn, and the quotas that limit each. */
function granted(quotas: readonly ResourceQuota[], all: readonly QuotaDemand[]): readonly string[] {
  const ledger = createQuotaLedger(quotas);
  return all.map((one) => {
    const grant = ledger.grantFor(one);
    ledger.use(one, grant.count);
    return grant.quotas.length === 0 ? `${grant.count}` : `${grant.count} of ${one.count}: ${grant.quotas.join(', ')}`;
  });
}

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
describe('virtual pods have what the quotas of their namespace leave', () => {
  it.each<[string, readonly ResourceQuota[], readonly QuotaDemand[], readonly string[]]>([
    ['all of it without quotas', [], [demand('a')], ['5']],
    ['all of it where it fits', [TEN], [demand('a')], ['5']],
    ['what the pods before them leave', [TEN], [demand('a'), demand('b', { count: 10 })], ['5', '5 of 10: quota']],
    ['what pods leave', [quota('usage', { hard: { cpu: 10 }, used: { cpu: 8 } })], [demand('a')], ['2 of 5: usage']],
    [
      'the least that one of several leaves, and all that leave too little are named',
      [quota('q1', { hard: { cpu: 5 }, used: { cpu: 4 } }), quota('q2', { hard: { cpu: 10 }, used: { cpu: 8 } }), TEN],
      [demand('a')],
      ['1 of 5: q1, q2'],
    ],
    [
      'nothing where pods already request more than is allowed',
      [quota('full', { hard: { cpu: 2 }, used: { cpu: 3 } })],
      [demand('a')],
      ['0 of 5: full'],
    ],
    ['in whole pods', [quota('quota', { hard: { cpu: '2900m' } })], [demand('a')], ['2 of 5: quota']],
    [
      'whatever the quota has of resources that it does not request',
      [quota('gpus', { hard: { 'nvidia.com/gpu': 0 } })],
      [demand('a')],
      ['5'],
    ],
    [
      'of each quota what is left by the pods that it counts',
      [
        quota('high', { hard: { cpu: 2 }, scopes: [ofClass('In', 'high')] }),
        quota('low', { hard: { cpu: 3 }, scopes: [ofClass('In', 'low')] }),
      ],
      [demand('a', { classes: ['high'] }), demand('b', { classes: ['low'] })],
      ['2 of 5: high', '3 of 5: low'],
    ],
    [
      'of its own namespace',
      [quota('theirs', { hard: { cpu: 1 }, namespace: 'other' })],
      [demand('a'), demand('b', { namespace: 'other' })],
      ['5', '1 of 5: theirs'],
    ],
    [
      'all of it where its pods request none of what is used up',
      [quota('quota', { hard: { cpu: 0 }, used: { cpu: 1 } })],
      [demand('a', { requests: { cpu: 0, memory: '1Gi' } })],
      ['5'],
    ],
    [
      'nothing where a container names no amount that the quota limits',
      [quota('quota', { hard: { cpu: 10, memory: 10 } })],
      [demand('a', { requests: {} })],
      ['0 of 5: quota'],
    ],
    [
      'nothing where a container does not name the memory that the quota limits',
      [quota('quota', { hard: { memory: '10Gi' } })],
      [demand('a', { requests: { cpu: 1 } })],
      ['0 of 5: quota'],
    ],
    [
      'no more than the number of pods',
      [quota('pods', { hard: { pods: 4 }, used: { pods: 1 } })],
      [demand('a')],
      ['3 of 5: pods'],
    ],
    [
      'what is left of limits',
      [quota('limits', { hard: { 'limits.cpu': 6_000 } })],
      [demand('a', { limits: { cpu: 2 } })],
      ['3 of 5: limits'],
    ],
    [
      'nothing where a container has no limit and the quota has one',
      [quota('limits', { hard: { 'limits.memory': 1e12 } })],
      [demand('a', { limits: { cpu: 2 } })],
      ['0 of 5: limits'],
    ],
    [
      'as many as their requests allow where their limits are not known',
      [quota('limits', { hard: { 'limits.cpu': 3_000 } })],
      [demand('a')],
      ['3 of 5: limits'],
    ],
  ])('%s', (_, quotas, all, expected) => {
    expect(granted(quotas, all)).toEqual(expected);
  });

  const GPUS = { requests: { 'nvidia.com/gpu': 1 } };
  const LIMITED = '2 of 5: quota';
  it.each<[string, readonly ResourceQuota[], DemandGiven, string]>([
    ['Terminating counts no virtual pod', two(['Terminating']), {}, '5'],
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
      'CrossNamespacePodAffinity counts pods of which one term among others is across namespaces',
      two(['CrossNamespacePodAffinity']),
      { spec: { podAffinity: [affinity({}), affinity({ namespaces: ['other'] }), affinity({})] } },
      LIMITED,
    ],
    [
      'CrossNamespacePodAffinity counts no pods near those of their own namespace',
      two(['CrossNamespacePodAffinity']),
      { spec: { podAffinity: [affinity({})] } },
      '5',
    ],
  ])('where the scope says so: %s', (_, quotas, given, expected) => {
    expect(granted(quotas, [demand('a', given)])).toEqual([expected]);
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
