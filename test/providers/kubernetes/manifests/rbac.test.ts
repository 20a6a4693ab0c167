import { expect, it } from 'vitest';
import { WATCHED_RESOURCES } from '../../../../providers/kubernetes/read/reader.ts';
import { type OptionsWithRights, rbac, type RoomRights } from '../../../../providers/kubernetes/manifests/rbac.ts';

const rulesOf = (dryRun: boolean, options: OptionsWithRights): readonly string[] =>
  rbac(undefined, dryRun, undefined, options).items.flatMap((item) =>
    'rules' in item
      ? (
          item.rules as readonly {
            apiGroups: readonly string[];
            resources: readonly string[];
            verbs: readonly string[];
          }[]
        ).map(({ apiGroups, resources, verbs }) => `${verbs.join()} ${resources.join()} of ${apiGroups.join()}`)
      : [],
  );
const added = (dryRun: boolean, options: OptionsWithRights): readonly string[] => {
  const without = new Set(rulesOf(dryRun, {}));
  return rulesOf(dryRun, options).filter((rule) => !without.has(rule));
};

it.each<readonly [string, RoomRights, string, string, string]>([
  [
    'CapacityBuffers',
    { capacityBuffers: true },
    'capacitybuffers',
    'podtemplates,resourcequotas',
    'capacitybuffers/status',
  ],
  [
    'ProvisioningRequests',
    { provisioningRequests: true },
    'provisioningrequests',
    'podtemplates,resourcequotas',
    'provisioningrequests/status',
  ],
  [
    'both',
    { capacityBuffers: true, provisioningRequests: true },
    'capacitybuffers,provisioningrequests',
    'podtemplates,resourcequotas',
    'capacitybuffers/status,provisioningrequests/status',
  ],
])('%s take three rules, with their option alone, and in a dry run nothing is changed', (_, room, of, core, status) => {
  const reads = [`list ${of} of autoscaling.x-k8s.io`, `list ${core} of `];
  expect(added(false, room)).toEqual([...reads, `patch ${status} of autoscaling.x-k8s.io`]);
  expect(added(true, room)).toEqual(reads);
  expect(JSON.stringify(rbac())).not.toMatch(/capacitybuffers|provisioningrequests|podtemplates|resourcequotas/);
});

it('CapacityQuotas take one rule, with their option alone, and in a dry run too', () => {
  for (const dryRun of [false, true]) {
    const rule = 'list capacityquotas of autoscaling.x-k8s.io';
    expect(added(dryRun, { capacityQuotas: true })).toEqual([rule]);
    expect(added(dryRun, { capacityQuotas: true, capacityBuffers: true })).toContain(rule);
  }
  expect(JSON.stringify(rbac())).not.toContain('capacityquotas');
});

it('pods that are about to be created take the right to list ResourceQuotas, as buffers do', () => {
  expect(added(false, { enableProactiveScaleup: true })).toEqual(['list resourcequotas of ']);
  expect(added(false, { enableProactiveScaleup: true, capacityBuffers: true })).toEqual(
    added(false, { capacityBuffers: true }),
  );
});

it('planned placement takes one rule, with its option alone, and none in a dry run', () => {
  expect(added(false, { plannedPlacement: true })).toEqual(['patch pods/status of ']);
  expect(added(true, { plannedPlacement: true })).toEqual([]);
  expect(JSON.stringify(rbac())).not.toMatch(/pods\/status/);
});

it('lists that are kept take the right to watch what the reader watches, with their option alone, and in a dry run too', () => {
  for (const dryRun of [false, true]) {
    expect(added(dryRun, { incrementalReads: true })).toEqual([
      'watch nodes,pods of ',
      'watch replicasets of apps',
      'watch jobs of batch',
    ]);
  }
  const watched = WATCHED_RESOURCES.map(({ group, resource }) => `${resource} of ${group}`);
  expect(watched.toSorted()).toEqual(['jobs of batch', 'nodes of ', 'pods of ', 'replicasets of apps']);
  expect(JSON.stringify(rbac())).not.toContain('watch');
});
