import type { ZonalShift } from '../model/zonal-shift.ts';
import type { EpochMs } from '../model/values/time.ts';
import { untilText } from './when.ts';

/** `us-east-1a until 2026-01-01T12:00:00Z, in 2m10s`. */
export const zonalShiftText = ({ zone, until }: Pick<ZonalShift, 'zone' | 'until'>, now: EpochMs): string =>
  `${zone}${until === null ? ', without a set end' : ` until ${untilText(until, now)}`}`;
