import type { DepartureReport } from '../model/decision.ts';
import type { NoticeKind } from '../model/notice.ts';
import type { Words } from './words.ts';

/** What the cloud announces about an instance. */
export const NOTICES = {
  RebalanceRecommendation: {
    short: 'rebalance recommendation',
    sentence: 'AWS sees an elevated risk that the Spot instance is interrupted. Nothing is done for it.',
    advice: null,
  },
  ScheduledChange: {
    short: 'scheduled maintenance',
    sentence: 'AWS Health has announced maintenance that ends the instance (option scheduledChange).',
    advice: null,
  },
  CapacityReservationEnd: {
    short: 'end of its capacity reservation',
    sentence: 'AWS takes back the capacity reservation that the instance runs in (option scheduledChange).',
    advice: null,
  },
  SpotInterruption: {
    short: 'Spot interruption',
    sentence: 'AWS interrupts the Spot instance, two minutes after its notice (option spotInterruption).',
    advice: 'More instance types and zones in the node group make interruptions rarer.',
  },
  LifecycleHook: {
    short: 'lifecycle hook of its termination',
    sentence:
      'The Auto Scaling group ends the instance, and a lifecycle hook waits. One whose name begins with outrigger is completed after the drain.',
    advice: null,
  },
  InstanceStopping: {
    short: 'instance is stopping',
    sentence: 'The instance is being stopped or terminated. Its pods are planned for elsewhere.',
    advice: null,
  },
} satisfies Record<NoticeKind, Words>;

/** A node that leaves, in one phrase. */
export const departureText = ({ node, notice }: Pick<DepartureReport, 'node' | 'notice'>): string =>
  `${node} (${NOTICES[notice].short})`;
