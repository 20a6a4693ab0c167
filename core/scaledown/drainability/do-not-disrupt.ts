import { isFinished, type Pod } from '../../model/cluster/pod.ts';
import { quoted } from '../../model/values/clip.ts';
import { addTime, DURATION_OUT_OF_RANGE, type EpochMs, formatTime, parseDuration } from '../../model/values/time.ts';
import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/** Karpenter's annotation, and the one that both autoscalers are to share. */
export const DO_NOT_DISRUPT = ['karpenter.sh/do-not-disrupt', 'node-lifecycle.kubernetes.io/do-not-disrupt'] as const;

/** Karpenter's annotation before version 0.32, on pods alone and without durations. */
const DO_NOT_EVICT = 'karpenter.sh/do-not-evict';

/**
 * `"true"` keeps the node for as long as the pod runs; a duration (`30m`, as Go writes them) for so long after the pod
 * has started. Any other value says nothing. Follows Karpenter's `IsDoNotDisruptActive` and `IsDisruptable`, but for
 * durations beyond Go's range: Karpenter ignores such values, here they keep the node like `"true"`.
 *
 * Comes before all rules that let a pod go: in Karpenter it holds for DaemonSet pods too, and a pod that says both this
 * and `safe-to-evict` is better left alone.
 */
export const doNotDisrupt: DrainRule = {
  name: 'doNotDisrupt',
  decide: (pod, { now }) => {
    for (const key of DO_NOT_DISRUPT) {
      const value = pod.annotations[key];
      if (value !== undefined) {
        const protection = protectionOf(pod, value, now);
        if (protection !== null) {
          return block('DoNotDisrupt', `${key} is ${quoted(value)}${protection}`);
        }
      }
    }
    return pod.annotations[DO_NOT_EVICT] === 'true' && protectionOf(pod, 'true', now) !== null
      ? block('DoNotDisrupt', `${DO_NOT_EVICT} is "true"`)
      : null;
  },
};

/** How long the protection lasts, in words; `null` when the pod is not protected. */
function protectionOf(pod: Pod, value: string, now: EpochMs): string | null {
  // A pod that ends or has ended is disrupted already.
  if (isFinished(pod) || pod.deletedAt !== null) {
    return null;
  }
  if (value === 'true') {
    return '';
  }
  const duration = parseDuration(value);
  if (!duration.ok && duration.error === DURATION_OUT_OF_RANGE && !value.startsWith('-')) {
    return ', which is longer than any duration and holds like "true"';
  }
  if (!duration.ok || duration.value <= 0) {
    return null;
  }
  if (pod.startedAt === null) {
    return ', and it has not started';
  }
  const until = addTime(pod.startedAt, duration.value);
  return now < until ? `, which is until ${formatTime(until)}` : null;
}
