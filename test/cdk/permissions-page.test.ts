import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { clusterSettings } from '../../config/schema.ts';
import { allRights, kubernetesRights, permissionsPage, reasonsOf, rulesOf } from '../../scripts/docs/permissions.ts';
import { AWS_REASONS } from '../../scripts/docs/permissions/aws-reasons.ts';
import { KUBERNETES_REASONS } from '../../scripts/docs/permissions/kubernetes-reasons.ts';
import { ADDING, resourcesFor, WITHOUT_RIGHTS } from '../../scripts/docs/permissions/template.ts';

const rights = allRights();

describe('docs/permissions.md', () => {
  it('is that of the stack (npm run docs writes it)', async () => {
    expect(await readFile(new URL('../../docs/permissions.md', import.meta.url), 'utf8')).toBe(permissionsPage());
  });

  it('has one reason for each action of each role (scripts/docs/permissions/aws-reasons.ts)', () => {
    expect(rights.length).toBeGreaterThan(60);
    const odd = rights.filter((right) => reasonsOf(right).length !== 1);
    expect(odd.map(({ role, action }) => `${role} ${action}`)).toEqual([]);
  });

  it('has reasons for what there is alone', () => {
    const stale = AWS_REASONS.flatMap(({ roles, actions }) =>
      roles.flatMap((role) => actions.map((action) => ({ role, action }))),
    ).filter(({ role, action }) => !rights.some((right) => right.role === role && right.action === action));
    expect(stale).toEqual([]);
  });

  it('has one reason for each right in the cluster (scripts/docs/permissions/kubernetes-reasons.ts)', () => {
    expect(kubernetesRights().length).toBeGreaterThan(20);
    expect(kubernetesRights().filter((right) => rulesOf(right).length !== 1)).toEqual([]);
  });

  it('has reasons for the rights of the manifests alone', () => {
    const stale = KUBERNETES_REASONS.flatMap(({ role, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${role} ${verb} ${resource}`)),
    );
    const there = kubernetesRights().map(({ role, verb, resource }) => `${role} ${verb} ${resource}`);
    expect(stale.toSorted()).toEqual(there.toSorted());
  });

  it('looks at every setting on which rights may depend (scripts/docs/permissions/template.ts)', () => {
    const varied = Object.keys(ADDING).map((name) => name.split(/[.:]/)[0]!);
    const settings = Object.keys(clusterSettings.shape).filter((name) => !['mode', 'dryRun'].includes(name));
    expect([...new Set([...varied, ...WITHOUT_RIGHTS])].toSorted()).toEqual(settings.toSorted());
  });

  it('knows every resource that others than roles may use', () => {
    const types = Object.values(resourcesFor({ mode: 'act' })).map(({ Type }) => Type);
    const byResource = types.filter((type) => /Permission|(?<!IAM::)Policy/.test(type));
    expect(byResource.toSorted()).toEqual([
      'AWS::Lambda::Permission',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Permission',
      'AWS::SQS::QueuePolicy',
      'AWS::SQS::QueuePolicy',
    ]);
  });
});
