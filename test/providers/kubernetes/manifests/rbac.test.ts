import { expect, it } from 'vitest';
import { type OptionsWithRights, rbac } from '../../../../providers/kubernetes/manifests/rbac.ts';

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

it('CapacityBuffers take three rules, with their option alone; in a dry run none of them changes anything', () => {
  expect(added(false, { capacityBuffers: true })).toEqual([
    'list capacitybuffers of autoscaling.x-k8s.io',
    'list podtemplates of ',
    'patch capacitybuffers/status of autoscaling.x-k8s.io',
  ]);
  expect(added(true, { capacityBuffers: true })).toEqual([
    'list capacitybuffers of autoscaling.x-k8s.io',
    'list podtemplates of ',
  ]);
  expect(JSON.stringify(rbac())).not.toMatch(/capacitybuffers|podtemplates/);
});

it('planned placement takes one rule, with its option alone, and none in a dry run', () => {
  expect(added(false, { plannedPlacement: true })).toEqual(['patch pods/status of ']);
  expect(added(true, { plannedPlacement: true })).toEqual([]);
  expect(JSON.stringify(rbac())).not.toMatch(/pods\/status/);
});
