import * as z from 'zod';
import type { DrainNotice } from '@outrigger/core/model/drain.ts';
import { type Notice, NOTICE_KINDS } from '@outrigger/core/model/notice.ts';
import type { Announcement } from '@outrigger/core/ports/notice-inbox.ts';
import { storedGroup, storedInstance, storedTime } from './scalars.ts';

const hook = z.object({
  name: z.string(),
  token: z.string(),
  heartbeatUntil: storedTime.nullable(),
  waitsSince: storedTime.optional(),
});
const kind = z.enum(NOTICE_KINDS);

const announcement = {
  instance: storedInstance,
  kind,
  receivedAt: storedTime,
  endsAt: storedTime.nullable(),
  hook: hook.nullable(),
  isClosed: z.literal(true).optional(),
};

/** A notice as it is stored. One of a kind that only a newer version knows is not read. */
export const storedNotice: z.ZodType<Notice> = z.object({ ...announcement, group: storedGroup });

/** The announcements of an event, stored until the cluster of their instances is known. */
export const storedAnnouncements: z.ZodType<readonly Announcement[]> = z.array(z.object(announcement));

/** The part of a notice that a drain or an intent keeps. */
export const drainNotice: z.ZodType<DrainNotice> = z.object({
  kind,
  deadline: storedTime,
  hook: hook.nullable(),
  heartbeatAt: storedTime.optional(),
});
