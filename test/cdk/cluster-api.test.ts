import { describe, expect, it } from 'vitest';
import { rightsIn } from '../../scripts/docs/permissions/template.ts';
import { stackFor, templateFor } from './stack-for.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

const templateOf = (settings: object) =>
  templateFor(settings).toJSON() as {
    readonly Resources: Readonly<Record<string, Resource>>;
    readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  };

/** The groups of each function, by cluster. */
const groupsIn = (settings: object): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.values(templateOf(settings).Resources)
      .filter(({ Type }) => Type === 'AWS::EKS::AccessEntry')
      .map(({ Properties: { ClusterName, PrincipalArn, KubernetesGroups } }) => {
        const id = (PrincipalArn as { readonly 'Fn::GetAtt': readonly [string] })['Fn::GetAtt'][0];
        return [
          `${ClusterName as string} ${id.replace(/^.*?(ScaleUp|ScaleDown|Drain|Actuate)Role.*$/, '$1')}`,
          KubernetesGroups as readonly string[],
        ];
      }),
  );

const outputOf = (settings: object, name: string): string => {
  const { Outputs } = templateOf(settings);
  const [value] = Object.entries(Outputs).flatMap(([id, { Value }]) => (id === name ? [Value] : []));
  return JSON.stringify(value ?? null);
};

const environments = (settings: object): readonly (string | undefined)[] =>
  Object.values(templateOf(settings).Resources)
    .filter(({ Type, Properties: { Handler } }) => Type === 'AWS::Lambda::Function' && Handler !== undefined)
    .map(({ Properties: { Environment } }) => Environment as { readonly Variables: Readonly<Record<string, string>> })
    .filter(({ Variables }) => 'OUTRIGGER_DRY_RUN' in Variables)
    .map(({ Variables }) => Variables['OUTRIGGER_CLUSTER_API']);

describe('a stack with node groups of Cluster API', () => {
  it('tells the five functions that look at groups or change them how they are found', () => {
    const [first, ...others] = environments({ clusterApi: { discovery: ['clusterapi:namespace=blue'] } });
    expect(others).toEqual([first, first, first, first]);
    expect(JSON.parse(first!)).toMatchObject({
      apiGroup: 'cluster.x-k8s.io',
      discovery: ['clusterapi:namespace=blue'],
    });
    expect(environments({})).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('lets the functions that act change machines, and the others read them', () => {
    expect(groupsIn({ clusterApi: {} })).toEqual({
      'web ScaleUp': ['outrigger', 'outrigger-cluster-api'],
      'web ScaleDown': ['outrigger', 'outrigger-cluster-api'],
      'web Drain': ['outrigger', 'outrigger-drain', 'outrigger-cluster-api', 'outrigger-machines'],
      'web Actuate': ['outrigger-cluster-api', 'outrigger-machines'],
    });
    const observing = groupsIn({ clusterApi: {}, mode: 'observe' });
    expect(Object.values(observing).flat()).not.toContain('outrigger-machines');
  });

  it('has roles in the cluster as an output, and none without the setting', () => {
    expect(outputOf({ clusterApi: {} }, 'Rbac')).toContain('machinedeployments/scale');
    expect(outputOf({}, 'Rbac')).not.toContain('cluster.x-k8s.io');
  });

  it('is let into another management cluster, and has what is applied there as an output of its own', () => {
    const settings = { clusterApi: { managementCluster: { name: 'management' } } };
    expect(groupsIn(settings)).toEqual({
      'web ScaleUp': ['outrigger'],
      'web ScaleDown': ['outrigger'],
      'web Drain': ['outrigger', 'outrigger-drain'],
      'management ScaleUp': ['outrigger-cluster-api'],
      'management ScaleDown': ['outrigger-cluster-api'],
      'management Drain': ['outrigger-cluster-api', 'outrigger-machines'],
      'management Actuate': ['outrigger-cluster-api', 'outrigger-machines'],
    });
    expect(outputOf(settings, 'ManagementRbac')).toContain('machinedeployments/scale');
    expect(outputOf(settings, 'Rbac')).not.toContain('outrigger-machines');
  });

  it('may change nothing in another management cluster while it observes', () => {
    const observing = (managementCluster: object) => ({ mode: 'observe', clusterApi: { managementCluster } });
    const own = observing({ name: 'management' });
    expect(Object.values(groupsIn(own)).flat()).not.toContain('outrigger-machines');
    expect(outputOf(own, 'ManagementRbac')).toContain('machinedeployments');
    expect(outputOf(own, 'ManagementRbac')).not.toContain('machinedeployments/scale');
    const foreign = observing({ name: 'management', role: 'arn:aws:iam::210987654321:role/capi' });
    expect(outputOf(foreign, 'ManagementAccessEntries')).toContain('outrigger-cluster-api');
    expect(outputOf(foreign, 'ManagementAccessEntries')).not.toContain('outrigger-machines');
  });

  it('prints what it cannot make for a management cluster in another region or account', () => {
    const elsewhere = {
      region: 'eu-central-1',
      clusterApi: { managementCluster: { name: 'management', region: 'eu-west-1' } },
    };
    expect(Object.keys(groupsIn(elsewhere)).filter((key) => key.startsWith('management'))).toEqual([]);
    expect(outputOf(elsewhere, 'ManagementAccessEntries')).toContain(
      'aws eks create-access-entry --cluster-name management --region eu-west-1 --principal-arn ',
    );
    const role = 'arn:aws:iam::210987654321:role/capi';
    const other = { clusterApi: { managementCluster: { name: 'management', role, externalId: 'team' } } };
    expect(outputOf(other, 'ManagementAccessEntries')).toContain(
      `${role} --kubernetes-groups outrigger-cluster-api outrigger-machines`,
    );
    expect(outputOf(other, 'ManagementRoleTrust')).toContain('sts:ExternalId');
    expect(outputOf(other, 'ManagementRolePermissions')).toContain(':210987654321:cluster/management');
  });

  const actionsOf = (settings: object, role: string) =>
    rightsIn(templateOf(settings).Resources)
      .filter((right) => right.role.endsWith(role) && /^(?:autoscaling|ec2|eks|sts):/.test(right.action))
      .map(({ action, on }) => `${action} ${on}`);

  it('describes the cluster that has the resources, by the function that sets sizes too', () => {
    expect(actionsOf({ clusterApi: {} }, 'Actuate').join()).toMatch(/eks:DescribeCluster \S*cluster\/web/);
    const management = actionsOf({ clusterApi: { managementCluster: { name: 'management' } } }, 'Actuate').join();
    expect(management).toMatch(/eks:DescribeCluster \S*cluster\/management/);
    expect(management).not.toMatch(/cluster\/web/);
    const elsewhere = { clusterApi: { managementCluster: { name: 'management', region: 'eu-west-1' } } };
    expect(actionsOf(elsewhere, 'Actuate').join()).toMatch(/eks:DescribeCluster \S*:eu-west-1:\S*cluster\/management/);
    const role = 'arn:aws:iam::210987654321:role/capi';
    expect(actionsOf({ clusterApi: { managementCluster: { name: 'management', role } } }, 'Actuate')).toContain(
      `sts:AssumeRole \`${role}\``,
    );
  });

  it('has no rights to EC2 and Auto Scaling without Auto Scaling groups', () => {
    const settings = { clusterApi: { autoScalingGroups: false } };
    for (const role of ['ScaleUp', 'ScaleDown', 'Drain', 'Actuate']) {
      const actions = actionsOf(settings, role);
      expect(actions.map((action) => action.split(' ')[0])).toEqual(['eks:DescribeCluster']);
    }
  });

  it('puts the function that sets sizes into the VPC of the endpoint', () => {
    const vpc = { vpcId: 'vpc-00000000', subnetIds: ['subnet-00000000'], securityGroupIds: ['sg-00000000'] };
    const placed = (settings: object) =>
      Object.values(templateOf({ vpc, ...settings }).Resources).filter(({ Properties }) => 'VpcConfig' in Properties);
    expect(placed({})).toHaveLength(3);
    expect(placed({ clusterApi: {} })).toHaveLength(4);
  });

  it('keeps the environment of a function within its limit', () => {
    const discovery = Array.from({ length: 50 }, (_, n) => `clusterapi:namespace=${'n'.repeat(60)}-${n}`);
    expect(() => stackFor({ clusterApi: { discovery } })).toThrow(
      /expected options and discovery of at most 2800 bytes/,
    );
  });
});
