import { setTimeout } from 'node:timers/promises';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import type { CommonServices } from './services.ts';
import { present } from '@outrigger/core/model/values/present.ts';

/** The system's clock. */
export const systemClock: Pick<CommonServices, 'now' | 'sleep'> = {
  now: () => epochMs(Date.now()),
  sleep: (ms, signal) => setTimeout(ms, undefined, present({ signal })),
};
