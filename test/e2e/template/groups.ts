import { CreateAutoScalingGroupCommand, CreateLaunchConfigurationCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeImagesCommand } from '@aws-sdk/client-ec2';
import type { AwsClients } from '../servers/aws-clients.ts';

const tagsOf = (cluster: string) =>
  [
    ['k8s.io/cluster-autoscaler/enabled', 'true'],
    [`k8s.io/cluster-autoscaler/${cluster}`, 'owned'],
    // No pod of these tests has a place there.
    ['k8s.io/cluster-autoscaler/node-template/taint/kept', 'free:NoSchedule'],
  ].map(([Key, Value]) => ({ Key, Value, PropagateAtLaunch: true }));

/** Groups without nodes, whose nodes are looked up in as many ways as there are. */
export async function createEmptyGroups(
  { autoScaling, ec2 }: AwsClients,
  cluster: string,
  launchTemplate: string,
  managedNodeGroup: string,
): Promise<void> {
  const images = { Filters: [{ Name: 'name', Values: ['amzn2-ami-hvm-2.0.*-x86_64-gp2'] }] };
  const { Images = [] } = await ec2.send(new DescribeImagesCommand(images));
  const LaunchConfigurationName = `${cluster}-launch-configuration`;
  await autoScaling.send(
    new CreateLaunchConfigurationCommand({
      LaunchConfigurationName,
      ImageId: Images[0]!.ImageId,
      InstanceType: 'm5.xlarge',
    }),
  );
  const LaunchTemplateSpecification = { LaunchTemplateName: launchTemplate, Version: '$Latest' };
  const InstanceRequirements = { VCpuCount: { Min: 2, Max: 4 }, MemoryMiB: { Min: 4_096 } };
  const managed = [
    { Key: 'eks:cluster-name', Value: cluster, PropagateAtLaunch: true },
    { Key: 'eks:nodegroup-name', Value: managedNodeGroup, PropagateAtLaunch: true },
  ];
  const groups = {
    'by-launch-configuration': { LaunchConfigurationName },
    'by-attributes': {
      MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification, Overrides: [{ InstanceRequirements }] } },
    },
    managed: { LaunchTemplate: LaunchTemplateSpecification, Tags: [...tagsOf(cluster), ...managed] },
  };
  for (const [name, group] of Object.entries(groups)) {
    await autoScaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: `${cluster}-${name}`,
        MinSize: 0,
        MaxSize: 2,
        DesiredCapacity: 0,
        AvailabilityZones: ['us-east-1b'],
        Tags: tagsOf(cluster),
        ...group,
      }),
    );
  }
}
