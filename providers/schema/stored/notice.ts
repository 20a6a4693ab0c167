import * as z from 'zod';
import type { DrainNotice } from '../../../core/model/drain.ts';
import { type Notice, NOTICE_KINDS } from '../../../core/model/notice.ts';
import type { Announcement } from '../../../core/ports/notice-inbox.ts';
import { group, instance, time } from './scalars.ts';

const hook = z.object({
  name: z.string(),
  token: z.string(),
  heartbeatUntil: time.nullable(),
  waitsSince: time.optional(),
});
const kind = z.enum(NOTICE_KINDS);

const announcement = { instance, kind, receivedAt: time, endsAt: time.nullable(), hook: hook.nullable() };

/** A notice as it is stored. One of a kind that only a newer version knows is not read. */
export const storedNotice: z.ZodType<Notice> = z.object({ ...announcement, group });

/** The announcements of an event, stored until the cluster of their instances is known. */
export const storedAnnouncements: z.ZodType<readonly Announcement[]> = z.array(z.object(announcement));

/** The part of a notice that a drain or an intent keeps. */
export const drainNotice: z.ZodType<DrainNotice> = z.object({
  kind,
  deadline: time,
  hook: hook.nullable(),
  heartbeatAt: time.optional(),
});
