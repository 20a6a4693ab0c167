import { expect, it } from 'vitest';
import { rbac } from '../../../../providers/kubernetes/manifests/rbac.ts';

const rulesOf = (dryRun: boolean, buffers: boolean): readonly string[] =>
  rbac(undefined, dryRun, undefined, buffers).items.flatMap((item) =>
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
const added = (dryRun: boolean): readonly string[] => {
  const without = new Set(rulesOf(dryRun, false));
  return rulesOf(dryRun, true).filter((rule) => !without.has(rule));
};

it('CapacityBuffers take three rules, with their option alone; in a dry run none of them changes anything', () => {
  expect(added(false)).toEqual([
    'list capacitybuffers of autoscaling.x-k8s.io',
    'list podtemplates of ',
    'patch capacitybuffers/status of autoscaling.x-k8s.io',
  ]);
  expect(added(true)).toEqual(['list capacitybuffers of autoscaling.x-k8s.io', 'list podtemplates of ']);
  expect(JSON.stringify(rbac())).not.toMatch(/capacitybuffers|podtemplates/);
});
