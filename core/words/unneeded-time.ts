import type { LearnedTime } from '../model/unneeded-time.ts';
import { counted } from '../model/values/counted.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { durationMs, formatDuration } from '../model/values/time.ts';

const rounded = (time: number): string => formatDuration(durationMs(Math.round(time / 1_000) * 1_000));

/** The unneeded time that `scaleDownUnneededTime: auto` has learned of a node group, and its sources. */
export const learnedText = ({ time, boot, removals, relaunched }: LearnedTime): string =>
  presentItems([
    `${rounded(time)} unneeded, learned`,
    `${relaunched} of ${counted(removals, 'removal')} soon followed by a launch`,
    mapOptional(boot, (length) => `a boot takes ${rounded(length)}`),
  ]).join('; ');
