import * as z from 'zod';
import { type Pause, PAUSED_PARTS } from '@outrigger/core/model/pause.ts';
import { storedGroup, storedTime } from './scalars.ts';

/** A pause of `outrigger pause`, as it is stored. One of a part that only a newer version knows is not read. */
export const storedPause: z.ZodType<Omit<Pause, 'source'>> = z.object({
  part: z.enum(PAUSED_PARTS),
  group: storedGroup.nullable(),
  until: storedTime.nullable(),
  cancelDrains: z.boolean(),
});
