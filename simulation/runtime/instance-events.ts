import type { EventBridgeEvent } from 'aws-lambda';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { AnnouncementEvent, WorldEvent } from '../world-event.ts';
import { awsEvent } from './lambda-events.ts';

type InstanceEvent = EventBridgeEvent<string, unknown>;

/** An announcement of an instance's end. Each event has a name of its own, for logs of the network. */
interface InstanceAnnouncement {
  readonly id: string;
  readonly events: readonly InstanceEvent[];
}

/** The events by which AWS tells of what happens in the simulated world; `null`: it does not. */
export function announcedBy(event: WorldEvent): InstanceAnnouncement | null {
  if (event.kind === 'Announced') {
    return { id: event.id, events: eventsOf(event) };
  }
  if (event.kind === 'InstanceStopping') {
    const { instance, at } = event;
    const id = announcementIdOf(event);
    return { id, events: eventsOf({ id, what: event.kind, instances: [instance], time: at, endsAt: at }) };
  }
  if (event.kind === 'HookWaits') {
    return { id: announcementIdOf(event), events: [terminateAction(event)] };
  }
  return null;
}

/** The id of the event that announces this. */
export const announcementIdOf = (
  event: Extract<WorldEvent, { readonly kind: 'InstanceStopping' | 'HookWaits' }>,
): string => (event.kind === 'HookWaits' ? `hook-${event.token}` : `state-${event.instance}`);

const terminateAction = (event: Extract<WorldEvent, { readonly kind: 'HookWaits' }>): InstanceEvent =>
  awsEvent(
    {
      id: announcementIdOf(event),
      source: 'aws.autoscaling',
      type: 'EC2 Instance-terminate Lifecycle Action',
      at: event.at,
    },
    {
      AutoScalingGroupName: event.group,
      EC2InstanceId: event.instance,
      LifecycleHookName: event.hook,
      LifecycleActionToken: event.token,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      Origin: 'AutoScalingGroup',
      Destination: 'EC2',
    },
  );

/** An event for each instance, except events of AWS Health, which are about many. */
function eventsOf({ id, what, instances, time, endsAt }: AnnouncementEvent): readonly InstanceEvent[] {
  if (what === 'ScheduledChange') {
    return [
      awsEvent({ id, source: 'aws.health', type: 'AWS Health Event', at: time }, scheduledChange(instances, endsAt)),
    ];
  }
  const [type, detail] = EVENTS[what];
  return instances.map((instance, n) =>
    awsEvent(
      { id: n === 0 ? id : `${id}-${n}`, source: 'aws.ec2', type, at: time },
      {
        'instance-id': instance,
        ...detail(endsAt),
      },
    ),
  );
}

const scheduledChange = (instances: readonly InstanceId[], startsAt: EpochMs | null): unknown => ({
  service: 'EC2',
  eventTypeCode: 'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED',
  eventTypeCategory: 'scheduledChange',
  statusCode: 'upcoming',
  startTime: mapOptional(startsAt, (time) => new Date(time).toUTCString()) ?? undefined,
  affectedEntities: instances.map((entityValue) => ({ entityValue, status: 'PENDING' })),
});

/** The detail-type, and what the detail has beside the instance. */
const EVENTS: Readonly<
  Record<
    Exclude<AnnouncementEvent['what'], 'ScheduledChange'>,
    readonly [string, (endsAt: EpochMs | null) => Readonly<Record<string, unknown>>]
  >
> = {
  RebalanceRecommendation: ['EC2 Instance Rebalance Recommendation', () => ({})],
  SpotInterruption: ['EC2 Spot Instance Interruption Warning', () => ({ 'instance-action': 'terminate' })],
  CapacityReservationEnd: [
    'EC2 Capacity Reservation Instance Interruption Warning',
    (endsAt) => present({ 'instance-termination-time': mapOptional(endsAt, (time) => new Date(time).toISOString()) }),
  ],
  InstanceStopping: ['EC2 Instance State-change Notification', () => ({ state: 'shutting-down' })],
};
