import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { CreateAutoScalingGroupCommand, type LaunchTemplateSpecification } from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateCommand, DescribeLaunchTemplateVersionsCommand } from '@aws-sdk/client-ec2';
import { CreateClusterCommand, CreateNodegroupCommand, DescribeNodegroupCommand, EKSClient } from '@aws-sdk/client-eks';
import { expect, onTestFinished, test } from 'vitest';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import { readUserData } from '../../providers/aws/launches/user-data.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { deleteLaunchTemplate, describeGroups } from './servers/aws-setup.ts';
import { serverSet } from './server-set.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: { name: taint }
  kubelet:
    flags: ["--register-with-taints=team=web:NoExecute"]
`;

interface Printed {
  readonly changed: boolean;
  readonly groups: readonly { readonly group: string; readonly tainted: boolean; readonly problem: string | null }[];
}

test('one command has new nodes of managed and other node groups wait for their pods, and takes that back', async () => {
  const cluster = await openCluster('taint');
  const eks = new EKSClient({ endpoint: serverSet.awsEndpoint, region, credentials: testCredentials });
  onTestFinished(() => eks.destroy());
  await createLaunchTemplate(cluster, 'taint-shared', NODE_CONFIG);
  await createLaunchTemplate(cluster, 'taint-mixed', '[settings.kubernetes]\ncluster-name = "taint"\n');
  const shared = (Version: string) => ({ LaunchTemplateName: 'taint-shared', Version });
  await createGroup(cluster, 'taint-latest', { LaunchTemplate: shared('$Latest') });
  await createGroup(cluster, 'taint-default', { LaunchTemplate: shared('$Default') });
  await createGroup(cluster, 'taint-pinned', { LaunchTemplate: shared('1') });
  await createGroup(cluster, 'taint-mixed', {
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: 'taint-mixed', Version: '1' },
        Overrides: [
          { InstanceType: 'm5.large' },
          { InstanceType: 'm5a.large', LaunchTemplateSpecification: shared('1') },
        ],
      },
      InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 30 },
    },
  });
  // Without user data: nothing says how its nodes start.
  const [bare = ''] = await cluster.createGroups({
    ...SIZES,
    name: 'bare',
    instanceType: 'm5.large',
    zones: ['us-east-1a'],
    desired: 0,
  });
  await createNodegroup(eks);
  await createGroup(
    cluster,
    'taint-managed',
    { LaunchTemplate: shared('$Default') },
    { 'eks:cluster-name': 'taint', 'eks:nodegroup-name': 'managed' },
  );
  const managedTaints = async () =>
    (await eks.send(new DescribeNodegroupCommand({ clusterName: 'taint', nodegroupName: 'managed' }))).nodegroup
      ?.taints;

  const stored = [`--table=outrigger-${randomUUID()}`, `--dynamodb-endpoint=${serverSet.dynamodbEndpoint}`];
  const command = async (...args: readonly string[]): Promise<Printed> => {
    const where = ['--cluster=taint', `--region=${region}`, `--aws-endpoint=${serverSet.awsEndpoint}`, ...stored];
    const env = { ...process.env, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    const { stdout } = await run(process.execPath, [MAIN, 'planned-placement', ...args, ...where, '-o', 'json'], {
      env,
    });
    return JSON.parse(stdout) as Printed;
  };
  const taintedOf = ({ groups }: Printed) => Object.fromEntries(groups.map(({ group, tainted }) => [group, tainted]));
  const NONE = {
    [bare]: false,
    'taint-default': false,
    'taint-latest': false,
    'taint-managed': false,
    'taint-mixed': false,
    'taint-pinned': false,
  };
  const ALL = {
    [bare]: false,
    'taint-default': true,
    'taint-latest': true,
    'taint-managed': true,
    'taint-mixed': true,
    'taint-pinned': true,
  };

  const outrigger = cluster.outrigger('outrigger', '--schedule=1s', ...stored);
  await outrigger.untilLogged('an evaluation', ({ message }) => String(message).includes('pending pods;'));
  const shown = await command();
  expect([taintedOf(shown), shown.changed]).toEqual([NONE, false]);
  expect(shown.groups.find(({ group }) => group === bare)?.problem).toContain('user data has no NodeConfig');
  expect(await versions(cluster, 'taint-shared')).toHaveLength(1);

  expect((await command('add', '--yes')).changed).toBe(true);
  expect(taintedOf(await command())).toEqual(ALL);
  // All groups that share a launch template share its new version.
  const [second, first] = await versions(cluster, 'taint-shared');
  expect([first?.DefaultVersion, second?.DefaultVersion]).toEqual([false, true]);
  expect(readUserData(second?.LaunchTemplateData?.UserData ?? null).taints).toEqual([
    { key: 'team', value: 'web', effect: 'NoExecute' },
    { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' },
  ]);
  const groups = await describeGroups(cluster.aws, 'taint');
  const mixed = groups.find(({ AutoScalingGroupName: name }) => name === 'taint-mixed')?.MixedInstancesPolicy;
  expect(mixed?.LaunchTemplate?.LaunchTemplateSpecification?.Version).toBe('2');
  expect(mixed?.LaunchTemplate?.Overrides?.map(({ InstanceType }) => InstanceType)).toEqual(['m5.large', 'm5a.large']);
  expect(mixed?.InstancesDistribution?.OnDemandPercentageAboveBaseCapacity).toBe(30);
  expect(await managedTaints()).toEqual([{ key: AWAITING_PODS_TAINT, effect: 'NO_SCHEDULE' }]);

  // Again: there is nothing to change.
  await command('add', '--yes');
  expect(await versions(cluster, 'taint-shared')).toHaveLength(2);
  await command('remove', '--yes');
  expect(taintedOf(await command())).toEqual(NONE);
  expect(await managedTaints()).toEqual([]);

  // Without a state, nobody takes the taint off: nothing is changed.
  await outrigger.stop();
  stored[0] = `--table=${randomUUID()}`;
  await expect(command('add', '--yes')).rejects.toThrow(/The state of cluster taint cannot be read/);
  expect(await versions(cluster, 'taint-shared')).toHaveLength(3);
});

const SIZES = { min: 0, max: 5 };

async function createLaunchTemplate({ aws }: E2eCluster, LaunchTemplateName: string, userData: string): Promise<void> {
  onTestFinished(() => deleteLaunchTemplate(aws, LaunchTemplateName));
  const UserData = Buffer.from(userData).toString('base64');
  await aws.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName,
      LaunchTemplateData: { ImageId: 'ami-12c6146b', InstanceType: 'm5.large', UserData },
    }),
  );
}

async function createGroup(
  { aws, name }: E2eCluster,
  AutoScalingGroupName: string,
  launches: Pick<CreateAutoScalingGroupCommand['input'], 'MixedInstancesPolicy'> & {
    readonly LaunchTemplate?: LaunchTemplateSpecification;
  },
  tags: Readonly<Record<string, string>> = {},
): Promise<void> {
  const all = { 'k8s.io/cluster-autoscaler/enabled': 'true', [`k8s.io/cluster-autoscaler/${name}`]: 'owned', ...tags };
  await aws.autoScaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName,
      MinSize: 0,
      MaxSize: 5,
      DesiredCapacity: 0,
      AvailabilityZones: ['us-east-1a'],
      Tags: Object.entries(all).map(([Key, Value]) => ({ Key, Value, PropagateAtLaunch: true })),
      ...launches,
    }),
  );
}

async function createNodegroup(eks: EKSClient): Promise<void> {
  const roleArn = 'arn:aws:iam::123456789012:role/nodes';
  await eks.send(new CreateClusterCommand({ name: 'taint', roleArn, resourcesVpcConfig: { subnetIds: [] } }));
  await eks.send(
    new CreateNodegroupCommand({ clusterName: 'taint', nodegroupName: 'managed', nodeRole: roleArn, subnets: [] }),
  );
}

/** The newest comes first. */
async function versions({ aws }: E2eCluster, LaunchTemplateName: string) {
  const asked = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName });
  const { LaunchTemplateVersions = [] } = await aws.ec2.send(asked);
  return LaunchTemplateVersions.toSorted((a, b) => b.VersionNumber! - a.VersionNumber!);
}
