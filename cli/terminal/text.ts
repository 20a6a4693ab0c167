import { textIf } from '@outrigger/core/model/values/optional.ts';
import type pc from 'picocolors';
import { type EpochMs, epochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { cut } from './wrap.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** How text is laid out. */
export interface Style {
  readonly colors: Colors;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Below this many columns, layouts are narrow: fewer table columns, shorter words, smaller indents. */
export const NARROW = 80;

/** Below this many columns, tables lack their least important column, too. */
export const TINY = 50;

/** A name that is cut off where it would take more than a quarter of the line. */
export const fitted = (name: string, width: number): string => cut(name, Math.max(8, Math.floor(width / 4)));

/** A time for people, without milliseconds. */
export const dateTimeText = (at: EpochMs): string => formatTime(epochMs(Math.floor(at / 1_000) * 1_000));

/** `0.5 s`, `46 s`, `2 min 5 s`, `10 min`. */
export function length(inSeconds: number): string {
  if (inSeconds < 10) {
    return `${inSeconds.toFixed(1)} s`;
  }
  const whole = Math.round(inSeconds);
  if (whole < 120) {
    return `${whole} s`;
  }
  const rest = textIf(whole % 60 > 0, ` ${whole % 60} s`);
  return `${Math.floor(whole / 60)} min${rest}`;
}

/** A name without the default namespace. */
export const shortName = (key: string): string => key.replace(/^default\//, '');

export const percent = (share: number): string => `${Math.round(share * 100)}%`;
