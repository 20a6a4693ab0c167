import { region } from '../servers/aws-clients.ts';

/** An event of AWS about this instance, as EventBridge delivers it. */
export interface EventOfInstance {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';
const HEALTH = 'AWS Health Event';

/** Events about an instance or its zone, those that a stack takes in first, with one of each of its rules. */
export function eventsAbout(instance: string): readonly (readonly [event: EventOfInstance, wanted: boolean])[] {
  const of = (source: string, type: string, detail: object): EventOfInstance => ({
    source,
    'detail-type': type,
    detail: { 'instance-id': instance, ...detail },
  });
  const change = {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: instance }],
  };
  const action = { EC2InstanceId: instance, LifecycleHookName: 'of-others', LifecycleActionToken: 'token' };
  const wanted = [
    of('aws.ec2', SPOT, { 'instance-action': 'terminate' }),
    of('aws.ec2', STATE, { state: 'stopping' }),
    of('aws.health', HEALTH, change),
    of('aws.arc-zonal-shift', 'Manual Shift Started', {}),
    of('aws.ec2', STATE, { state: 'stopped' }),
    of('aws.ec2', STATE, { state: 'shutting-down' }),
    of('aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', {}),
    of('aws.ec2', 'EC2 Interruptible Capacity Reservation Instance Interruption Warning', {}),
    of('aws.ec2', 'EC2 Instance Rebalance Recommendation', {}),
    of('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', action),
    of('aws.autoscaling', 'EC2 Instance Launch Unsuccessful', {}),
  ];
  const others = [
    of('aws.ec2', STATE, { state: 'running' }),
    of('aws.ec2', STATE, { state: 'terminated' }),
    of('aws.ec2', 'EC2 Spot Instance Request Fulfillment', { state: 'stopping' }),
    of('aws.health', HEALTH, { ...change, service: 'RDS' }),
    of('aws.health', HEALTH, { ...change, eventTypeCategory: 'issue' }),
    of('aws.health', 'AWS Health Abuse Event', change),
    of('aws.autoscaling', 'EC2 Instance-launch Lifecycle Action', action),
    of('of.another.application', SPOT, {}),
    of('of.another.application', STATE, { state: 'stopping' }),
    of('of.another.application', HEALTH, change),
  ];
  return [...wanted.map((event) => [event, true] as const), ...others.map((event) => [event, false] as const)];
}

let events = 0;

/** The event with what all events have. */
export const delivered = (event: EventOfInstance) => ({
  version: '0',
  id: `event-${(events += 1)}`,
  account: '123456789012',
  time: new Date().toISOString(),
  region,
  resources: [],
  ...event,
});
