import {
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  paginateDescribeAutoScalingGroups,
  SetDesiredCapacityCommand,
  type AutoScalingGroup,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeImagesCommand,
  type _InstanceType,
} from '@aws-sdk/client-ec2';
import type { AwsClients } from './aws-clients.ts';

/** Auto Scaling groups of one zone each, alike but for the zone. */
export interface Groups {
  /** The cluster that they are tagged for. */
  readonly cluster: string;
  /** `CLUSTER-NAME-a` in zone `us-east-1a` and so on. */
  readonly name: string;
  /** Absent: `m5.large`. */
  readonly instanceType?: string;
  /** Absent: `us-east-1a` alone. */
  readonly zones?: readonly string[];
  /** Absent: 0. */
  readonly min?: number;
  /** Absent: 5. */
  readonly max?: number;
  /** Absent: 0. */
  readonly desired?: number;
  /** Besides the two tags by which the groups of a cluster are found. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Creates a launch template and one group for each zone; gives the groups' names. */
export async function createGroups({ autoScaling, ec2 }: AwsClients, groups: Groups): Promise<readonly string[]> {
  const { cluster, name, instanceType = 'm5.large', zones = ['us-east-1a'], tags = {} } = groups;
  const { min = 0, max = 5, desired = 0 } = groups;
  // By name: the list of all images takes four seconds.
  const image = { Filters: [{ Name: 'name', Values: ['amzn2-ami-hvm-2.0.*-x86_64-gp2'] }] };
  const { Images = [] } = await ec2.send(new DescribeImagesCommand(image));
  const ImageId = Images[0]?.ImageId;
  if (ImageId === undefined) throw new Error('This AWS has no Amazon Linux image to launch');
  const LaunchTemplateName = launchTemplate(groups);
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName,
      LaunchTemplateData: { ImageId, InstanceType: instanceType as _InstanceType },
    }),
  );
  const allTags = { 'k8s.io/cluster-autoscaler/enabled': 'true', [clusterTag(cluster)]: 'owned', ...tags };
  return Promise.all(
    zones.map(async (zone) => {
      const AutoScalingGroupName = `${cluster}-${name}-${zone.slice(-1)}`;
      await autoScaling.send(
        new CreateAutoScalingGroupCommand({
          AutoScalingGroupName,
          MinSize: min,
          MaxSize: max,
          DesiredCapacity: desired,
          AvailabilityZones: [zone],
          LaunchTemplate: { LaunchTemplateName, Version: '$Latest' },
          Tags: Object.entries(allTags).map(([Key, Value]) => ({ Key, Value, PropagateAtLaunch: true })),
        }),
      );
      return AutoScalingGroupName;
    }),
  );
}

/** The groups that are tagged for a cluster, with their instances. */
export async function describeGroups({ autoScaling }: AwsClients, cluster: string): Promise<AutoScalingGroup[]> {
  const found: AutoScalingGroup[] = [];
  const input = { Filters: [{ Name: 'tag-key', Values: [clusterTag(cluster)] }] };
  for await (const page of paginateDescribeAutoScalingGroups({ client: autoScaling }, input))
    found.push(...(page.AutoScalingGroups ?? []));
  return found;
}

/** Sets a size as a person would. */
export async function setSize({ autoScaling }: AwsClients, group: string, size: number): Promise<void> {
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: group, DesiredCapacity: size }));
}

/** Deletes a launch template, though groups may still use it. Gone already is fine: moto then says that the name is missing. */
export async function deleteLaunchTemplate({ ec2 }: AwsClients, LaunchTemplateName: string): Promise<void> {
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName })).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'MissingParameter')) throw error;
  });
}

/** Deletes all groups of a cluster, their instances and their launch templates. */
export async function deleteGroups(clients: AwsClients, cluster: string): Promise<void> {
  const templates = new Set<string>();
  for (const { AutoScalingGroupName, LaunchTemplate } of await describeGroups(clients, cluster)) {
    await clients.autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
    if (LaunchTemplate?.LaunchTemplateName !== undefined) templates.add(LaunchTemplate.LaunchTemplateName);
  }
  for (const template of templates) await deleteLaunchTemplate(clients, template);
}

const clusterTag = (cluster: string): string => `k8s.io/cluster-autoscaler/${cluster}`;
const launchTemplate = ({ cluster, name }: Groups): string => `${cluster}-${name}`;
