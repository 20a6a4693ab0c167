import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { doctorPage } from '../../scripts/docs/doctor.ts';
import { clusterSettings } from '../../config/schema.ts';
import {
  allGrants,
  allRights,
  grantReasonsOf,
  kubernetesRights,
  permissionsPage,
  reasonsOf,
  rulesOf,
} from '../../scripts/docs/permissions.ts';
import { AWS_REASONS, GRANT_REASONS } from '../../scripts/docs/permissions/aws-reasons.ts';
import { KUBERNETES_REASONS } from '../../scripts/docs/permissions/kubernetes-reasons.ts';
import {
  ADDING,
  grantsIn,
  resourcesFor,
  rightsIn,
  WITHOUT_RIGHTS,
  WITHOUT_RIGHTS_BESIDE,
} from '../../scripts/docs/permissions/template.ts';

const rights = allRights();

describe('docs/permissions.md', () => {
  it('is that of the stack (npm run docs writes it)', async () => {
    expect(await readFile(new URL('../../docs/permissions.md', import.meta.url), 'utf8')).toBe(permissionsPage());
  });

  it('has for `outrigger local` what it calls, and not what Lambda does for functions in a VPC', () => {
    const local = permissionsPage().split('## `outrigger local`')[1]!;
    expect(local).toContain('`ec2:DescribeLaunchTemplateVersions`');
    expect(local).not.toMatch(/NetworkInterface|PrivateIp|Subnets/);
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
    // Every row depends on the name.
    const settings = Object.keys(clusterSettings.shape).filter((name) => !['name', 'mode', 'dryRun'].includes(name));
    const without = [WITHOUT_RIGHTS, WITHOUT_RIGHTS_BESIDE].flatMap((all) => Object.keys(all));
    expect([...new Set(varied), ...without].toSorted()).toEqual(settings.toSorted());
  });

  const given = (settings: object): readonly unknown[] => {
    const resources = resourcesFor({ mode: 'act', ...settings });
    const entries = Object.values(resources).filter(({ Type }) => Type === 'AWS::EKS::AccessEntry');
    return [rightsIn(resources), grantsIn(resources), entries];
  };

  it.each(Object.entries(WITHOUT_RIGHTS))('%s changes no right', (_name, settings) => {
    expect(given(settings)).toEqual(given({}));
  });

  it.each(Object.entries(WITHOUT_RIGHTS_BESIDE))('%s changes no right', (_name, { other, settings }) => {
    expect(given({ ...other, ...settings })).toEqual(given(other));
  });

  it.each(Object.entries(ADDING))('%s changes some right', (_name, { settings }) => {
    expect(given(settings)).not.toEqual(given({}));
  });

  it('names the one setting with which a role is a cluster administrator', () => {
    const administrators = Object.keys(ADDING).filter((name) =>
      JSON.stringify(resourcesFor({ mode: 'act', ...ADDING[name]!.settings })).includes('ClusterAdminPolicy'),
    );
    expect(administrators).toEqual(['applyManifests: true']);
  });

  it('has one reason for each statement of a resource’s policy, and for what there is alone', () => {
    const grants = allGrants();
    expect(grants.length).toBeGreaterThan(5);
    expect(grants.filter((grant) => grantReasonsOf(grant).length !== 1)).toEqual([]);
    const stale = GRANT_REASONS.flatMap(({ resources, actions, where = '' }) =>
      resources.flatMap((resource) => actions.map((action) => ({ resource, action, where }))),
    ).filter((reason) => !grants.some((grant) => isDeepStrictEqual({ ...grant, ...reason }, grant)));
    expect(stale).toEqual([]);
  });

  it('names every call of AWS that the commands for operators make', () => {
    const source = globSync('cli/{doctor,install,uninstall}/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const calls = [...source.matchAll(/new ([A-Z]\w+)Command\(|paginate([A-Z]\w+)\(/g)].map(
      ([, one, pages]) => one ?? pages!,
    );
    expect(calls.length).toBeGreaterThan(10);
    const pages = `${permissionsPage()}\n${doctorPage()}`;
    expect([...new Set(calls)].filter((call) => !new RegExp(`\\b${call}\\b`).test(pages))).toEqual([]);
  });

  it('knows every type of resource that has rights or gives some', () => {
    const types = new Set(Object.values(resourcesFor({ mode: 'act' })).map(({ Type }) => Type));
    const known = ['AWS::IAM::Policy', 'AWS::IAM::Role', 'AWS::Lambda::Permission', 'AWS::SQS::QueuePolicy'];
    expect([...types].filter((type) => /IAM|Permission|Policy/.test(type)).toSorted()).toEqual(known);
    for (const { Type, Properties } of Object.values(resourcesFor({ mode: 'act' }))) {
      expect(Type === 'AWS::IAM::Role' ? Object.keys(Properties) : []).not.toContain('ManagedPolicyArns');
      expect(Type === 'AWS::IAM::Role' ? Object.keys(Properties) : []).not.toContain('Policies');
    }
  });
});
