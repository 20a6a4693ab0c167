import { formatTime } from '../model/values/time.ts';
import type { OverdueWork } from '../model/overdue-work.ts';
import type { Words } from './words.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** Overdue work of a function, and where to look. */
export const OVERDUE_WORK = {
  ScaleDownSilent: {
    short: 'scale-down is not evaluated',
    sentence: 'Scale-down has not been evaluated for longer than it should be: unneeded nodes are kept.',
    advice: 'See the log of the ScaleDown function.',
  },
  IntentWaits: {
    short: 'a decision is not carried out',
    sentence: 'A decided change of the node group has been waiting for longer than five minutes.',
    advice: 'See the log of the Actuate function.',
  },
  DrainStalls: {
    short: 'a drain does not go on',
    sentence: 'The function that drains the node is not at work, or has failed again and again.',
    advice: 'See the logs of the Drain and the Actuate function.',
  },
} satisfies Record<OverdueWork['kind'], Words>;

/** The node group or the node of overdue work; `null`: the cluster. */
export function overdueWorkSubject(overdue: OverdueWork): string | null {
  switch (overdue.kind) {
    case 'ScaleDownSilent':
      return null;
    case 'IntentWaits':
      return `node group ${overdue.group}`;
    case 'DrainStalls':
      return `node ${overdue.node}`;
  }
}

/** A sentence for the log, with the subject and the start time. */
export function overdueWorkText(overdue: OverdueWork): string {
  const { sentence, advice } = OVERDUE_WORK[overdue.kind];
  const subject = overdueWorkSubject(overdue);
  const when = mapOptional(subject, (name) => `${name}, since`) ?? 'last at';
  const about = mapOptional(overdue.since, (since) => `${when} ${formatTime(since)}`);
  return presentItems([about, `${sentence} ${advice}`]).join(': ');
}
