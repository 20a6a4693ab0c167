import { expect } from 'vitest';
import { permits, type RbacObject } from './rbac.ts';
import type { KubeAttributes } from './records.ts';
import type { Ground } from './run.ts';

/** Requests that no role is for. */
const FOREIGN: readonly KubeAttributes[] = [
  { verb: 'delete', group: '', resource: 'pods', namespace: 'default', name: 'any' },
  { verb: 'list', group: '', resource: 'secrets', namespace: null, name: null },
  { verb: 'get', group: '', resource: 'configmaps', namespace: 'kube-system', name: 'other' },
  { verb: 'create', group: '', resource: 'pods/exec', namespace: 'default', name: 'any' },
  { verb: 'delete', group: '', resource: 'nodes', namespace: null, name: 'any' },
];

interface Review {
  readonly status: { readonly allowed: boolean };
}

/** Checks `permits` against the API server, by the requests of the run and by others. */
export async function expectSameAnswers(
  { cluster, deployment }: Ground,
  manifests: readonly RbacObject[],
): Promise<void> {
  const { records } = deployment;
  const asked = records.kube.map(({ groups, attributes }) => ({ groups, attributes }));
  const foreign = FOREIGN.map((attributes) => ({ groups: ['outrigger', 'outrigger-drain'], attributes }));
  const distinct = new Map(
    [...asked, ...foreign].map((each) => [
      JSON.stringify({ ...each, attributes: { ...each.attributes, name: '' } }),
      each,
    ]),
  );
  const answers = await Promise.all(
    [...distinct.values()].map(async ({ groups, attributes }) => {
      const { resource: path, ...rest } = attributes;
      const [resource, subresource] = path.split('/');
      const spec = { user: 'anybody', groups, resourceAttributes: { ...rest, resource, subresource } };
      const { status } = await cluster.kube.create<Review>('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec,
      });
      return { groups, attributes, real: status.allowed, permitted: permits(manifests, groups, attributes) };
    }),
  );
  expect(answers.filter(({ real, permitted }) => real !== permitted)).toEqual([]);
  expect(answers.filter(({ permitted }) => !permitted).length).toBeGreaterThanOrEqual(FOREIGN.length);
}
