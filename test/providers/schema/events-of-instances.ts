import type { NoticeKind } from '../../../core/model/notice.ts';

/** Instance that all of these events are about. */
export const INSTANCE_OF_EVENTS = 'i-0b662ef9931388ba0';

/** An event as EventBridge delivers it. */
export interface DeliveredEvent {
  readonly version: string;
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event of each kind, as AWS documents it. */
export interface EventOfKind {
  readonly kind: NoticeKind;
  readonly event: DeliveredEvent;
  /** Fields of `detail` without which the event cannot be read. */
  readonly needs: readonly string[];
}

/** An event of these, with what is the same in all of them. */
export const deliveredEvent = (
  source: string,
  type: string,
  resource: string,
  detail: Readonly<Record<string, unknown>>,
): DeliveredEvent => ({
  version: '0',
  id: '1e5527d7-bb36-4607-3370-4164db56a40e',
  'detail-type': type,
  source,
  account: '123456789012',
  time: '2026-01-01T12:00:00Z',
  region: 'us-east-1',
  resources: [resource],
  detail,
});

const ID = INSTANCE_OF_EVENTS;
// Without an account in the first of them.
const [IN_ZONE, IN_REGION] = [
  `arn:aws:ec2:us-east-1b:instance/${ID}`,
  `arn:aws:ec2:us-east-1:123456789012:instance/${ID}`,
];

export const EVENTS_OF_KINDS: readonly EventOfKind[] = [
  {
    kind: 'SpotInterruption',
    event: deliveredEvent('aws.ec2', 'EC2 Spot Instance Interruption Warning', IN_ZONE, {
      'instance-id': ID,
      'instance-action': 'terminate',
    }),
    needs: ['instance-id'],
  },
  {
    kind: 'CapacityReservationEnd',
    event: deliveredEvent('aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', IN_REGION, {
      'instance-id': ID,
      'instance-action': 'terminate',
      'instance-termination-time': '2026-01-01T12:02:30Z',
      'availability-zone-id': 'use1-az1',
      'instance-lifecycle': 'on-demand',
    }),
    needs: ['instance-id'],
  },
  {
    kind: 'RebalanceRecommendation',
    event: deliveredEvent('aws.ec2', 'EC2 Instance Rebalance Recommendation', IN_ZONE, { 'instance-id': ID }),
    needs: ['instance-id'],
  },
  {
    kind: 'InstanceStopping',
    event: deliveredEvent('aws.ec2', 'EC2 Instance State-change Notification', IN_REGION, {
      'instance-id': ID,
      state: 'shutting-down',
    }),
    needs: ['instance-id', 'state'],
  },
  {
    kind: 'ScheduledChange',
    event: deliveredEvent('aws.health', 'AWS Health Event', ID, {
      eventArn: 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/1',
      service: 'EC2',
      eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
      eventTypeCategory: 'scheduledChange',
      startTime: 'Thu, 01 Jan 2026 12:30:00 GMT',
      endTime: 'Thu, 01 Jan 2026 14:30:00 GMT',
      eventDescription: [{ language: 'en_US', latestDescription: 'A description of the event' }],
      affectedEntities: [{ entityValue: ID, tags: { stage: 'prod' } }],
    }),
    needs: ['service', 'eventTypeCategory', 'affectedEntities'],
  },
  {
    kind: 'LifecycleHook',
    event: deliveredEvent(
      'aws.autoscaling',
      'EC2 Instance-terminate Lifecycle Action',
      'arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:5f3b:autoScalingGroupName/web',
      {
        LifecycleActionToken: '0befcbdb-6ecd-498a-9ff7-ae9b54447cd6',
        AutoScalingGroupName: 'web',
        LifecycleHookName: 'outrigger',
        EC2InstanceId: ID,
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
        NotificationMetadata: 'for the hook',
        Origin: 'AutoScalingGroup',
        Destination: 'EC2',
      },
    ),
    needs: ['LifecycleActionToken', 'LifecycleHookName', 'EC2InstanceId'],
  },
];
