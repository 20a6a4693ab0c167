import { describe, expect, it } from 'vitest';
import { kindOf, unpackedManifests } from '../../../providers/scenario/kinds.ts';
import type { Invalid } from '../../../providers/manifest/invalid.ts';

const kindIn = (fields: Record<string, unknown>): string | null => {
  const problems: Invalid[] = [];
  const kind = kindOf(fields, 'objects[0]', problems);
  return problems.length > 0 ? problems.map(({ expected }) => expected).join() : kind;
};

describe('the kind of a manifest', () => {
  it.each([
    ['pod', 'Pod'],
    ['Pods', 'Pod'],
    ['Nod', 'Node'],
    ['Deploymnt', 'Deployment'],
    ['deployment', 'Deployment'],
  ])('that is written %s is probably the nearest one, %s', (kind, meant) => {
    expect(kindIn({ kind })).toBe(`a kind that Kubernetes knows (did you mean ${meant}?)`);
  });

  it.each(['Role', 'Lease', 'Event', 'Ingress', 'Scale', 'Secret'])('%s is of Kubernetes, and is not read', (kind) => {
    expect(kindIn({ kind })).toBe(null);
  });

  it('is that of its API group', () => {
    expect(kindIn({ kind: 'Deployment', apiVersion: 'apps/v1' })).toBe('Deployment');
    expect(kindIn({ kind: 'Deployment', apiVersion: 'example.com/v1' })).toBe(null);
    expect(kindIn({ kind: 'Pool', apiVersion: 'example.com/v1' })).toBe(null);
  });

  it.each([
    ['Pod', 'v2', 'v1'],
    ['Pod', 'v1beta1', 'v1'],
    ['Deployment', 'apps/v3', 'apps/v1'],
  ])('%s of %s is none of Kubernetes', (kind, apiVersion, expected) => {
    expect(kindIn({ kind, apiVersion })).toBe(expected);
  });

  it.each(['policy/v1beta1', 'policy/v1'])('is read of %s', (apiVersion) => {
    expect(kindIn({ kind: 'PodDisruptionBudget', apiVersion })).toBe('PodDisruptionBudget');
  });

  it('of the items of a typed list is that of the list, with its API group', () => {
    const list = { kind: 'RoleList', apiVersion: 'rbac.authorization.k8s.io/v1', items: [{ metadata: { name: 'r' } }] };
    expect(unpackedManifests([list], 'objects')).toEqual([
      {
        raw: { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'r' } },
        place: 'objects[0].items[0]',
      },
    ]);
  });

  it('is missed in an empty object', () => {
    expect(kindIn({})).toBe('the kind of a Kubernetes object');
  });
});
