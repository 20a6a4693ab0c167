import type { Node } from '../model/cluster/node.ts';
import { quoted } from '../model/values/clip.ts';
import { DURATION_OUT_OF_RANGE, type EpochMs, parseDuration } from '../model/values/time.ts';
import { DO_NOT_DISRUPT } from './drainability/do-not-disrupt.ts';

const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';

/** The annotation that keeps the node from being removed, in words; `null` where there is none. */
export function protectionOf({ annotations, createdAt }: Node, now: EpochMs): string | null {
  if (annotations[SCALE_DOWN_DISABLED] === 'true') {
    return `${SCALE_DOWN_DISABLED} is "true"`;
  }
  for (const key of DO_NOT_DISRUPT) {
    const value = annotations[key] ?? '';
    if (value === 'true') {
      return `${key} is "true"`;
    }
    const duration = parseDuration(value);
    if (!duration.ok && duration.error === DURATION_OUT_OF_RANGE && !value.startsWith('-')) {
      return `${key} is ${quoted(value)}, which is longer than any duration`;
    }
    if (duration.ok && createdAt !== null && createdAt + duration.value > now) {
      return `${key} is ${quoted(value)}, and the node is younger`;
    }
  }
  return null;
}
