import { counted } from '@outrigger/core/model/values/counted.ts';
import type { LossReason } from './catch-up.ts';
import type { ListReport } from './cached-lists.ts';

/** Number of objects that a warning names. */
const NAMED = 5;

/** The advice about a watch that failed; `null`: the failure is usual. */
const ADVICE: Readonly<Record<LossReason, string | null>> = {
  expired: null,
  'too many changes': null,
  forbidden: 'The ClusterRole lacks the verb watch: apply the manifests again',
  'not proven': 'Nothing showed in time that it was complete; check what is between this process and the API server',
  'went back': 'The cluster has an earlier state than before: was it restored from a backup?',
  failed: 'Check what is between this process and the API server',
};

/**
 * Warns of watches that fail, of each resource and reason once, and of each that showed something else than the full list
 * that it was compared with.
 */
export function reportTo(warn: (message: string) => void): (report: ListReport) => void {
  const warned = new Set<string>();
  return ({ resource, how }) => {
    if (how.kind === 'checked' && how.differing.length > 0) {
      const names = how.differing.slice(0, NAMED).join(', ');
      warn(
        `The cached list of ${resource} differed from the full one in ${counted(how.differing.length, 'object')} (${names}); it has been replaced`,
      );
    }
    if (how.kind !== 'listed again') {
      return;
    }
    const advice = ADVICE[how.why];
    const key = `${resource} ${how.why}`;
    if (advice !== null && !warned.has(key)) {
      warned.add(key);
      const problem = how.error instanceof Error ? `: ${how.error.message}` : '';
      warn(`Watching ${resource} failed (${how.why}${problem}), and it was listed in full. ${advice}.`);
    }
  };
}
