import { expect, test } from 'vitest';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import { explainInvalid, type Invalid } from '../../../providers/manifest/invalid.ts';
import { resourceQuotaReader } from '../../../providers/manifest/resource-quota.ts';

function read(spec: object, status: object) {
  const problems: Invalid[] = [];
  const quota = resourceQuotaReader(
    sectionOf({ metadata: { namespace: 'team', name: 'compute' }, spec, status }, '', problems),
  );
  return { quota, problems: problems.map(explainInvalid) };
}

test('the amounts of a quota that are about pods are read in the units of resources, with or without `requests.`', () => {
  const { quota, problems } = read(
    { hard: { cpu: '99' } },
    {
      hard: {
        'requests.cpu': '10500m',
        memory: '2Gi',
        'requests.nvidia.com/gpu': '4',
        'hugepages-2Mi': '4Mi',
        'limits.cpu': '1',
        pods: '3',
        'count/pods': '4',
        'count/jobs.batch': '5',
        'services.loadbalancers': '1',
      },
      used: { 'requests.cpu': 1, memory: '1Gi', pods: '2' },
    },
  );
  expect(problems).toEqual([]);
  expect(quota).toEqual({
    namespace: 'team',
    name: 'compute',
    hard: {
      cpu: 10_500,
      memory: 2 ** 31,
      'nvidia.com/gpu': 4,
      'hugepages-2Mi': 4 * 2 ** 20,
      'limits.cpu': 1_000,
      pods: 3,
    },
    used: { cpu: 1_000, memory: 2 ** 30, pods: 2 },
    scopes: [],
  });
});

test('of two amounts of one resource that counts which leaves less; fractions leave none', () => {
  const hard = { cpu: '4', 'requests.cpu': '3', memory: '1500m' };
  const used = { cpu: '1', 'requests.cpu': '2', memory: '200m' };
  expect(read({}, { hard, used }).quota).toMatchObject({
    hard: { cpu: 3_000, memory: 1 },
    used: { cpu: 2_000, memory: 1 },
  });
});

test('scopes are what they ask for of a pod', () => {
  const { quota } = read(
    {
      scopes: ['NotTerminating'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    },
    {},
  );
  expect(quota.scopes).toEqual([
    { name: 'NotTerminating', operator: 'Exists', values: [] },
    { name: 'PriorityClass', operator: 'In', values: ['high'] },
  ]);
});

test('an amount that is none is told at its place', () => {
  expect(read({}, { hard: { 'requests.memory': '2GB', 'count/jobs.batch': 'many' } }).problems).toEqual([
    'status.hard["requests.memory"]: expected a quantity such as 500m, 2 or 1.5Gi (did you mean 2G or 2Gi?), found "2GB"',
  ]);
});

test('a quota without a status yet limits by its spec', () => {
  expect(read({ hard: { pods: '3' } }, {}).quota).toMatchObject({ hard: { pods: 3 }, used: {} });
});

test.each([
  [{ scopeName: 'Future', operator: 'Exists' }, 'scopeName: expected one of Terminating, '],
  [{ scopeName: 'BestEffort', operator: 'DoesNotExist' }, 'operator: expected one of Exists, found "DoesNotExist"'],
  [{ scopeName: 'PriorityClass', operator: 'Gt', values: ['1'] }, 'operator: expected one of In, NotIn, '],
  [{ scopeName: 'PriorityClass', operator: 'In' }, 'values: expected at least one value, found a list'],
  [{ scopeName: 'PriorityClass', operator: 'Exists', values: ['high'] }, 'values: expected no values, found a list'],
])('a scope that Kubernetes would not accept is told at its place: %j', (scope, problem) => {
  const { problems } = read({ scopeSelector: { matchExpressions: [scope] } }, {});
  expect(problems).toEqual([expect.stringContaining(`spec.scopeSelector.matchExpressions[0].${problem}`)]);
  expect(read({ scopes: ['Future'] }, {}).problems).toEqual([expect.stringContaining('spec.scopes[0].scopeName')]);
});
