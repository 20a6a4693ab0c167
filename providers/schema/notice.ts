import { present } from '@outrigger/core/model/values/present.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import type { NoticeKind } from '@outrigger/core/model/notice.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { type InstanceId, instanceId } from '@outrigger/core/model/values/names.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { addTime, type EpochMs, epochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { Announcement, ArrivedEvent } from '@outrigger/core/ports/notice-inbox.ts';

/** Lifecycle hooks of this name, or whose names begin with it, are Outrigger's to complete: others wait for another tool. */
const HOOK_PREFIX = 'outrigger';

/** The content of an event of AWS about instances. */
export type InstanceEvent =
  | ({ readonly kind: 'announced' } & ArrivedEvent)
  /** A launch has failed: the evaluation asks what has become of it. */
  | { readonly kind: 'launch failed' }
  /** Traffic is shifted away from a zone, or returns to it: the evaluation asks of which resources. */
  | { readonly kind: 'zone shifted' }
  /** An event of a kind that Outrigger knows, which announces nothing; why, in words. */
  | { readonly kind: 'nothing'; readonly why: string };

/** EC2 ends Spot instances, and those in interruptible capacity reservations, so long after its warning. */
const WARNING = minutes(2);

/** IDs of instances have 8 digits, or 17 by now. */
const instance = z
  .string()
  .max(32)
  .regex(/^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'expected the ID of an instance')
  .transform(instanceId);
const time = z
  .string()
  .max(64)
  .transform((text) => Date.parse(text))
  .refine((ms) => !Number.isNaN(ms), 'expected a time')
  .transform(epochMs);
const name = z.string().min(1).max(255);

const envelope = z.object({
  id: name,
  source: name,
  'detail-type': name,
  region: name,
  // An event without a time is from a rule that was written by hand.
  time: time.nullable().catch(null).default(null),
  detail: z.unknown(),
});

/** An event that was received. */
interface ReceiptTimes {
  /** When it happened, by its own words. */
  readonly time: EpochMs;
  /** The time in the event's own field, of a clock that may be ahead; `null`: not stated. */
  readonly written: EpochMs | null;
  readonly now: EpochMs;
}

type Reader = (detail: unknown, received: ReceiptTimes) => readonly Announcement[] | InstanceEvent;

/** Parses a part of the event, and reads it. Throws the ZodError. */
const reader =
  <T>(schema: z.ZodType<T>, read: (detail: T, received: ReceiptTimes) => ReturnType<Reader>): Reader =>
  (detail, received) =>
    read(schema.parse(detail), received);

const announcement = (
  of: InstanceId,
  kind: NoticeKind,
  { now }: ReceiptTimes,
  endsAt: EpochMs | null = null,
): Announcement => ({ instance: of, kind, receivedAt: now, endsAt, hook: null });

const nothing = (why: string): InstanceEvent => ({ kind: 'nothing', why });

const spotInterruption = reader(
  z.object({ 'instance-id': instance, 'instance-action': z.string().max(64).default('terminate') }),
  ({ 'instance-id': id, 'instance-action': action }, received) => [
    // Hibernation begins with the warning.
    announcement(
      id,
      'SpotInterruption',
      received,
      action === 'hibernate' ? received.time : addTime(received.time, WARNING),
    ),
  ],
);

const rebalanceRecommendation = reader(z.object({ 'instance-id': instance }), ({ 'instance-id': id }, received) => [
  announcement(id, 'RebalanceRecommendation', received),
]);

const capacityReservationEnd = reader(
  z.object({ 'instance-id': instance, 'instance-termination-time': time.nullable().catch(null).default(null) }),
  ({ 'instance-id': id, 'instance-termination-time': end }, received) => [
    announcement(id, 'CapacityReservationEnd', received, end ?? addTime(received.time, WARNING)),
  ],
);

/** Not `terminated`: by then there is nothing left to drain. */
const STOPPING: ReadonlySet<string> = new Set(['stopping', 'stopped', 'shutting-down']);

const stateChange = reader(
  z.object({ 'instance-id': instance, state: z.string().max(64) }),
  ({ 'instance-id': id, state }, received) =>
    STOPPING.has(state)
      ? [announcement(id, 'InstanceStopping', received, received.time)]
      : nothing(`the state ${state}`),
);

const affected = z.object({ entityValue: instance, status: z.string().max(64).catch('').default('') });

/** An event of AWS Health: maintenance, retirement and reboots of instances. */
const scheduledChange = reader(
  z.object({
    service: z.string().max(64),
    eventTypeCategory: z.string().max(64),
    statusCode: z.string().max(64).catch('').default(''),
    startTime: time.nullable().catch(null).default(null),
    affectedEntities: z.array(z.unknown()),
  }),
  ({ service, eventTypeCategory, statusCode, startTime, affectedEntities }, received) => {
    if (service !== 'EC2' || eventTypeCategory !== 'scheduledChange') {
      return nothing(`${eventTypeCategory} of ${service}`);
    }
    // Entities may be volumes or hosts as well.
    const instances = new Map(
      presentItems(affectedEntities.map((entity) => affected.safeParse(entity).data)).map(
        ({ entityValue, status }) => [entityValue, statusCode === 'closed' || status === 'RESOLVED'] as const,
      ),
    );
    if (instances.size === 0) {
      return nothing('a scheduled change of no instance');
    }
    return [...instances].map(([id, isClosed]) => ({
      ...announcement(id, 'ScheduledChange', received, startTime),
      ...present({ isClosed: isClosed || null }),
    }));
  },
);

const lifecycleHook = reader(
  z.object({
    EC2InstanceId: instance,
    LifecycleHookName: name,
    LifecycleActionToken: name,
    LifecycleTransition: z.string().max(64).default('autoscaling:EC2_INSTANCE_TERMINATING'),
  }),
  ({ EC2InstanceId, LifecycleHookName, LifecycleActionToken, LifecycleTransition }, received) => {
    if (LifecycleTransition !== 'autoscaling:EC2_INSTANCE_TERMINATING') {
      return nothing(`the transition ${LifecycleTransition}`);
    }
    const hook = {
      name: LifecycleHookName,
      token: LifecycleActionToken,
      heartbeatUntil: null,
      // The same however often the event is delivered, and by whichever host.
      ...present({ waitsSince: received.written }),
    };
    const notice = announcement(EC2InstanceId, 'LifecycleHook', received);
    return [{ ...notice, hook: LifecycleHookName.startsWith(HOOK_PREFIX) ? hook : null }];
  },
);

/** By source and detail-type. The two names of capacity reservations' warnings are from AWS' own documentation. */
const READERS: Readonly<Record<string, Reader>> = {
  'aws.ec2/EC2 Spot Instance Interruption Warning': spotInterruption,
  'aws.ec2/EC2 Instance Rebalance Recommendation': rebalanceRecommendation,
  'aws.ec2/EC2 Capacity Reservation Instance Interruption Warning': capacityReservationEnd,
  'aws.ec2/EC2 Interruptible Capacity Reservation Instance Interruption Warning': capacityReservationEnd,
  'aws.ec2/EC2 Instance State-change Notification': stateChange,
  'aws.health/AWS Health Event': scheduledChange,
  'aws.autoscaling/EC2 Instance-terminate Lifecycle Action': lifecycleHook,
  'aws.autoscaling/EC2 Instance Launch Unsuccessful': () => ({ kind: 'launch failed' }),
};

/** Whatever ARC says of zonal shifts, autoshifts and practice runs: their kinds have become more over time. */
const ZONAL_SHIFTS = 'aws.arc-zonal-shift';

/**
 * Reads an event of EventBridge. Whose instances it is about is not known here: an event of another account is about
 * instances that are in none of the cluster's groups.
 *
 * @param region instances of another one are not the cluster's; `null`: not looked at
 * @returns an error, in words and without what was found, for an event that cannot be read; never throws for content
 */
export function parseInstanceEvent(event: unknown, region: string | null, now: EpochMs): Result<InstanceEvent, string> {
  const parsed = envelope.safeParse(event);
  if (!parsed.success) {
    return err(z.prettifyError(parsed.error));
  }
  const { id, source, 'detail-type': type, region: from, time: happened, detail } = parsed.data;
  const key = `${source}/${type}`;
  if (!Object.hasOwn(READERS, key) && source !== ZONAL_SHIFTS) {
    return ok(nothing('another kind of event'));
  }
  if (region !== null && from !== region) {
    return ok(nothing('another region'));
  }
  if (source === ZONAL_SHIFTS) {
    return ok({ kind: 'zone shifted' });
  }
  try {
    // A clock that is ahead would have an instance end later than it does.
    const time = epochMs(Math.min(happened ?? now, now));
    const read = getOwn(READERS, key)(detail, { now, time, written: happened });
    return ok('kind' in read ? read : { kind: 'announced', id, announcements: read });
  } catch (error) {
    if (error instanceof z.ZodError) {
      return err(`${type}: ${z.prettifyError(error)}`);
    }
    throw error;
  }
}
