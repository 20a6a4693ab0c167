import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { GroupView } from '../../../simulation/cloud/group-view.ts';
import type { SimulatedAwsWorld } from '../../../simulation/world.ts';
import type { CallFailed } from '../../../core/model/answers.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  type Call,
  ec2Result,
  groupXml,
  instanceXml,
  instanceTypeXml,
  launchTemplateXml,
  type Xml,
} from './wire-server.ts';

/** Instance states as Auto Scaling has them. */
const LIFECYCLE = { Creating: 'Pending', Running: 'InService', Deleting: 'Terminating' } as const;

/**
 * Auto Scaling and EC2 on the wire, with the groups of a simulated world behind them.
 *
 * @param malformed names of groups whose sizes do not count instances.
 */
export const simulatedAws =
  (cluster: string, { scaling }: SimulatedAwsWorld, malformed: ReadonlySet<string>) =>
  ({ action, parameters }: Call): Answer => {
    const views = scaling.groups();
    const name = parameters.get('AutoScalingGroupName') as GroupName;
    switch (action) {
      case 'DescribeAutoScalingGroups': {
        const asked = parameters.get('AutoScalingGroupNames.member.1');
        const found = views.filter(({ group }) => asked === null || group.name === asked);
        return autoScalingResult(action, {
          AutoScalingGroups: found.map((view) => described(cluster, view, malformed.has(view.group.name))),
        });
      }
      case 'SetDesiredCapacity':
        return answered(action, scaling.setDesired(name, Number(parameters.get('DesiredCapacity'))));
      case 'TerminateInstanceInAutoScalingGroup': {
        const id = parameters.get('InstanceId') as InstanceId;
        const owner = views.find(({ instances }) => instances.some((instance) => instance.id === id));
        const decrement = parameters.get('ShouldDecrementDesiredCapacity') === 'true';
        return answered(action, owner === undefined ? NOT_MANAGED : scaling.terminate(owner.group.name, id, decrement));
      }
      case 'DescribeLaunchTemplateVersions':
        return ec2Result(action, {
          launchTemplateVersionSet: views.map(({ group }) => launchTemplateXml(group.name, 1, 'm5.large')),
        });
      case 'DescribeInstanceTypes':
        return ec2Result(action, { instanceTypeSet: [instanceTypeXml('m5.large')] });
      default:
        return { status: 404, body: action };
    }
  };

const NOT_MANAGED: CallFailed = {
  kind: 'failed',
  class: 'Configuration',
  code: 'ValidationError',
  message: 'Instance Id not found - No managed instance found',
};

const answered = (action: string, outcome: { readonly kind: string } | CallFailed): Answer =>
  'code' in outcome ? autoScalingError(400, outcome.code, outcome.message) : autoScalingResult(action);

const described = (cluster: string, { group, desired, instances }: GroupView, malformed: boolean): Xml => {
  const plain = groupXml(cluster, group.name) as { readonly Tags: readonly Xml[] };
  return {
    ...plain,
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: desired,
    AvailabilityZones: group.zones,
    Instances: instances.map(({ id, zone, state }) =>
      instanceXml({ InstanceId: id, AvailabilityZone: zone, LifecycleState: LIFECYCLE[state] }),
    ),
    ...(malformed && { DesiredCapacityType: 'vcpu' }),
  };
};
