import type { ZonalShift } from '../model/zonal-shift.ts';
import type { EpochMs } from '../model/values/time.ts';
import { untilText } from './when.ts';
import { mapOptional } from '../model/values/optional.ts';

/** `us-east-1a until 2026-01-01T12:00:00Z, in 2m10s`. */
export const zonalShiftText = ({ zone, until }: Pick<ZonalShift, 'zone' | 'until'>, now: EpochMs): string =>
  `${zone}${mapOptional(until, (end) => ` until ${untilText(end, now)}`) ?? ', without a set end'}`;
