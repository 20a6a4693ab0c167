import * as z from 'zod';
import type { DrainNotice } from '../../../core/model/drain.ts';
import { type Notice, NOTICE_KINDS } from '../../../core/model/notice.ts';
import { group, instance, time } from './scalars.ts';

const hook = z.object({ name: z.string(), token: z.string(), heartbeatUntil: time.nullable() });
const kind = z.enum(NOTICE_KINDS);

/** A notice as it is stored. */
export const storedNotice: z.ZodType<Notice> = z.object({
  instance,
  group,
  kind,
  receivedAt: time,
  endsAt: time.nullable(),
  hook: hook.nullable(),
});

/** What a drain or an intent keeps of it. */
export const drainNotice: z.ZodType<DrainNotice> = z.object({
  kind,
  deadline: time,
  hook: hook.nullable(),
  heartbeatAt: time.optional(),
});
