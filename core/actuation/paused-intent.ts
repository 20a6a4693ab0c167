import type { Intent } from '../model/intent.ts';
import { type Pause, type PausableWork, pauseOf } from '../model/pause.ts';
import type { EpochMs } from '../model/values/time.ts';
import { isForNotices } from './intent-order.ts';

/** The pause that an intent is refused for; `null`: none, and where the cloud ends the instances. */
export const pauseOfIntent = (intent: Intent, pauses: readonly Pause[], now: EpochMs): Pause | null =>
  isForNotices(intent) ? null : pauseOf(workOf(intent), { name: intent.group }, { pauses, now });

const workOf = (intent: Intent): PausableWork =>
  intent.kind === 'SetSize' && intent.to > intent.from ? 'ScaleUp' : 'ScaleDown';
