import * as z from 'zod';
import {
  durationMs,
  type DurationMs,
  type EpochMs,
  formatDuration,
  formatTime,
  parseDuration,
  parseTime,
} from '@outrigger/core/model/values/time.ts';
import { refuse } from './read.ts';

const A_TIME = 'a time such as 2026-01-01T12:00:00Z';
const A_DURATION = 'a duration such as 30s, 10m or 1h30m';

/** RFC 3339, the form of every Kubernetes time. */
export const time = z.codec(z.string(A_TIME).meta({ format: 'date-time' }), z.custom<EpochMs>(), {
  decode: (text, ctx) => {
    const parsed = parseTime(text);
    return parsed.ok ? parsed.value : refuse(ctx, A_TIME);
  },
  encode: formatTime,
});

/** As Go writes it. `0` alone is a duration to Go, and YAML makes a number of it. */
export const duration = z.codec(
  z.union([z.string(), z.literal(0)], A_DURATION).meta({ examples: ['30s', '10m', '1h30m'] }),
  z.custom<DurationMs>(),
  {
    decode: (given, ctx) => {
      const parsed = parseDuration(String(given));
      return parsed.ok && parsed.value >= 0 ? durationMs(parsed.value + 0) : refuse(ctx, A_DURATION);
    },
    encode: formatDuration,
  },
);
