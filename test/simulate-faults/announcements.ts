import type { EventBridgeEvent } from 'aws-lambda';
import type { NoticeKind } from '../../core/model/notice.ts';
import type { InstanceId } from '../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../../core/model/values/time.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { announcementIdOf } from '../../simulation/runtime/instance-events.ts';
import type { WorldEvent } from '../../simulation/world-event.ts';

/** Time between EC2's interruption warning and the end of the instance. */
const WARNING = minutes(2);

/** An announcement of AWS about one instance, in truth. */
export interface Announced {
  readonly id: string;
  readonly what: NoticeKind;
  readonly instance: InstanceId;
  /** When it happened. */
  readonly time: EpochMs;
  readonly endsAt: EpochMs | null;
  readonly hook: { readonly name: string; readonly token: string } | null;
  /** When a function has taken the event in, by its own answer; `null`: none has yet. */
  readonly takenAt: EpochMs | null;
}

/** The record of what AWS has announced in a run. */
export interface Announcements {
  readonly of: (instance: InstanceId) => readonly Announced[];
  /** A function has handled an event without an error; returns what the event announces, the first time. */
  readonly handled: (event: unknown) => readonly Announced[];
}

export function recordAnnouncements({ clock, onEvent }: Pick<SimulatedWorld, 'clock' | 'onEvent'>): Announcements {
  const byInstance = new Map<InstanceId, Announced[]>();
  /** When instances last went to the warm pools of their groups. */
  const returnedAt = new Map<InstanceId, EpochMs>();
  const note = (one: Announced): void => {
    const known = byInstance.get(one.instance) ?? [];
    // The same event comes twice.
    if (!known.some(({ id }) => id === one.id)) {
      byInstance.set(one.instance, [...known, one]);
    }
  };
  onEvent((event) => {
    announcedIn(event).forEach(note);
    if (event.kind === 'ReturnedToWarmPool') {
      returnedAt.set(event.instance, event.at);
    }
    const returned = event.kind === 'NodeRegistered' ? returnedAt.get(event.instance) : undefined;
    if (event.kind === 'NodeRegistered' && returned !== undefined) {
      // Earlier announcements have come true, and are not about the new node, but for those of a later time.
      const known = byInstance.get(event.instance) ?? [];
      byInstance.set(
        event.instance,
        known.filter(({ time, endsAt }) => time > returned || (endsAt !== null && endsAt > event.at)),
      );
    }
  });
  return {
    of: (instance) => byInstance.get(instance) ?? [],
    handled: (event) => {
      const id = (event as Partial<EventBridgeEvent<string, unknown>>).id;
      const taken: Announced[] = [];
      for (const [instance, known] of id === undefined ? [] : byInstance) {
        const now = known.map((one) =>
          one.takenAt === null && one.id === id ? { ...one, takenAt: clock.now() } : one,
        );
        taken.push(...now.filter((one, n) => one !== known[n]));
        byInstance.set(instance, now);
      }
      return taken;
    },
  };
}

function announcedIn(event: WorldEvent): readonly Announced[] {
  const about = (
    instance: InstanceId,
    one: Pick<Announced, 'id' | 'what' | 'time'> & Partial<Announced>,
  ): Announced => ({ endsAt: null, hook: null, takenAt: null, ...one, instance });
  if (event.kind === 'Announced') {
    const { id, what, instances, time, endsAt } = event;
    const known = endsAt ?? (what === 'CapacityReservationEnd' ? addTime(time, WARNING) : null);
    return instances.map((instance) => about(instance, { id, what, time, endsAt: known }));
  }
  if (event.kind === 'HookWaits') {
    const { instance, at: time, hook: name, token } = event;
    return [about(instance, { id: announcementIdOf(event), what: 'LifecycleHook', time, hook: { name, token } })];
  }
  if (event.kind === 'InstanceStopping') {
    const { kind: what, instance, at } = event;
    return [about(instance, { id: announcementIdOf(event), what, time: at, endsAt: at })];
  }
  return [];
}
