import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { hash, randomBytes } from 'node:crypto';
import { clipToBytes, MOST_EVENT_BYTES } from '@outrigger/core/model/values/clip.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { ClusterEvent } from '@outrigger/core/model/cluster/cluster-event.ts';
import { addTime, type DurationMs, type EpochMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import { isFinalRefusal, isRefusal } from './client/api-error.ts';
import { type ApiResource, apiRequest, jsonBody } from './client/api-request.ts';
import type { Transport } from './client/transport.ts';
import type { StatusWriter, StatusWriterOptions } from './status-config-map.ts';

const EVENTS: ApiResource = { group: '', version: 'v1', resource: 'events' };

/** Events of one call of `recordEvents`, and the time for all of them: pods beyond that have theirs from a later call. */
export const MOST_EVENTS = 100;
const LONGEST = seconds(3);
/** Requests at a time: as many as the transport has connections. */
const AT_A_TIME = 8;

/** The API server keeps an event for an hour (`--event-ttl`). */
const KEPT = minutes(60);
/**
 * Time until an event that existed already, or was refused, is tried again: the API server keeps an existing event for
 * an unknown part of the hour.
 */
const NOT_CREATED = minutes(10);
/** Names of events that are remembered. */
const MOST_REMEMBERED = 50_000;

export interface EventRecorderOptions extends StatusWriterOptions {
  /** The ConfigMap of events about the status; `null`: no such events are written. */
  readonly statusObject: StatusWriter['object'];
}

/**
 * Records events. The name of an event with an `occurrence` is made from its object, reason and occurrence: the API server refuses to
 * create it twice, whichever process tries, so that no right to read or patch events is needed. What is known to be recorded is
 * remembered and causes no request.
 */
export function createEventRecorder(
  transport: Transport,
  { now, warn, statusObject }: EventRecorderOptions,
): Pick<ClusterWriter, 'recordEvent' | 'recordEvents'> {
  const rememberedUntil: EventMemory = new Map();
  const create = async (event: ClusterEvent, name: string, signal: AbortSignal | undefined): Promise<void> => {
    const at = now();
    const object = await referenceOf(event, statusObject, signal);
    if (object === null) {
      return;
    }
    const { known, error } = await createEvent(transport, eventObject(event, object, name, at), signal);
    if (event.occurrence !== undefined && known !== null) {
      remember(rememberedUntil, name, addTime(at, known));
    }
    if (error !== null && !(event.occurrence !== undefined && isRefusal(error, 409))) {
      throw error;
    }
  };

  return {
    async recordEvent(event, signal) {
      try {
        await create(event, nameOf(event, now()), signal);
      } catch (error) {
        signal?.throwIfAborted();
        warn(`An event (${event.reason}) could not be recorded: ${messageOf(error)}`);
      }
    },

    async recordEvents(events, signal) {
      const unrecorded = unrecordedOf(events, rememberedUntil, now());
      if (unrecorded.length === 0) {
        return;
      }
      const timeout = AbortSignal.timeout(LONGEST);
      const either = AbortSignal.any([signal, timeout].filter((one) => one !== undefined));
      for (const some of chunksOf(unrecorded, AT_A_TIME)) {
        const outcomes = await Promise.allSettled(some.map(([name, event]) => create(event, name, either)));
        signal?.throwIfAborted();
        const errors = outcomes.filter((one) => one.status === 'rejected').map(({ reason }): unknown => reason);
        if (errors.length > 0) {
          warn(`${errors.length} of ${some.length} events could not be recorded: ${messageOf(errors[0])}`);
        }
        // An error for all of these events is likely for the remaining events, too: a right is missing, the API server
        // is busy.
        if (errors.length === some.length || timeout.aborted) {
          return;
        }
      }
    },
  };
}

/** The first events that are not known to be recorded, as many as one call records. */
function unrecordedOf(
  events: Iterable<ClusterEvent>,
  rememberedUntil: EventMemory,
  at: EpochMs,
): readonly (readonly [name: string, ClusterEvent])[] {
  const unrecorded = new Map<string, ClusterEvent>();
  for (const event of events) {
    const name = nameOf(event, at);
    if ((rememberedUntil.get(name) ?? 0) <= at) {
      unrecorded.set(name, event);
      if (unrecorded.size === MOST_EVENTS) {
        break;
      }
    }
  }
  return [...unrecorded];
}

/** Until when the name of an event is known to be taken, or the event to be refused. */
type EventMemory = Map<string, EpochMs>;

/** @returns for how long the answer is known; `null` where a later try may have another one. */
async function createEvent(
  transport: Transport,
  body: ReturnType<typeof eventObject>,
  signal: AbortSignal | undefined,
): Promise<{ readonly known: DurationMs | null; readonly error: unknown }> {
  try {
    await transport.send(
      apiRequest('create', EVENTS, { namespace: body.metadata.namespace, body: jsonBody(body) }),
      () => undefined,
      signal,
    );
    return { known: KEPT, error: null };
  } catch (error) {
    return { known: isFinalRefusal(error) ? NOT_CREATED : null, error };
  }
}

/** Forgets the oldest when there are too many: they are recorded again at most, which the API server refuses. */
function remember(names: EventMemory, name: string, until: EpochMs): void {
  names.delete(name);
  names.set(name, until);
  const [oldest] = names.keys();
  if (oldest !== undefined && names.size > MOST_REMEMBERED) {
    names.delete(oldest);
  }
}

/** Limit on a name that leaves space for the suffix: 253 characters are allowed. */
const LONGEST_NAME = 220;

/** Named as in client-go: after the object. Then what makes the event another one: its reason and occurrence, or the time. */
function nameOf({ about, type, reason, occurrence }: ClusterEvent, at: EpochMs): string {
  const [name, uid] = about.kind === 'Status' ? ['outrigger-status', ''] : [about.name, about.uid];
  const other =
    occurrence === undefined
      ? `${at.toString(16)}${randomBytes(3).toString('hex')}`
      : hash('sha256', JSON.stringify([uid, type, reason, occurrence])).slice(0, 20);
  return `${name.slice(0, LONGEST_NAME).replace(/[-.]+$/, '')}.${other}`;
}

/** The object of an event, as the API server refers to it. Nodes have no namespace. */
interface Reference {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
}

async function referenceOf(
  { about }: ClusterEvent,
  statusObject: StatusWriter['object'],
  signal: AbortSignal | undefined,
): Promise<Reference | null> {
  if (about.kind === 'Status') {
    return mapOptional(await statusObject(signal), (object) => ({ kind: 'ConfigMap', ...object }));
  }
  return { namespace: null, ...about };
}

function eventObject({ type, reason, message }: ClusterEvent, object: Reference, name: string, at: EpochMs) {
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: object.namespace ?? 'default', name },
    involvedObject: {
      apiVersion: 'v1',
      kind: object.kind,
      name: object.name,
      uid: object.uid,
      ...present({ namespace: object.namespace }),
    },
    type,
    reason,
    // The API server refuses longer notes.
    message: clipToBytes(message, MOST_EVENT_BYTES),
    source: { component: 'outrigger' },
    reportingComponent: 'outrigger.dev/outrigger',
    reportingInstance: 'outrigger',
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
