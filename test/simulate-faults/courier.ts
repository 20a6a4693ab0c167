import type { Clock } from '../../simulation/clock.ts';
import { ARRIVED } from '../../runtime/streams.ts';
import type { FaultSource } from './fault-source.ts';
import type { Outages } from './outages.ts';

/** Carries messages from one place to another, as well as it can. */
export interface Courier {
  /** @param label for the event log. */
  readonly carry: (label: string, deliver: () => void) => void;
}

type Mishap = { readonly kind: 'lost' } | { readonly kind: 'late' | 'doubled'; readonly ms: number };

/**
 * Messages get lost, come late, and so out of their order, or come twice. What has arrived of AWS is not lost: the table's
 * stream keeps it, and no schedule would make up for it. In an outage all wait for its end.
 */
export function createCourier(clock: Clock, faults: FaultSource, outages: Pick<Outages, 'messagesUntil'>): Courier {
  return {
    carry: (label, deliver) => {
      const until = outages.messagesUntil();
      if (until !== null) {
        clock.at(until, deliver);
        return;
      }
      const mishap = faults.strike<Mishap>(
        'message',
        0.06,
        (chance) => {
          const kind = chance.oneOf(['lost', 'late', 'doubled'] as const);
          const ms = chance.within({ min: 1, max: chance.next() < 0.5 ? 2_000 : 150_000 });
          return kind === 'lost' ? { kind } : { kind, ms };
        },
        (what) => `${label} is ${what.kind}${'ms' in what ? ` (${what.ms} ms)` : ''}`,
      );
      if (mishap?.kind === 'lost' && label !== ARRIVED) {
        return;
      }
      if (mishap?.kind !== 'late') {
        deliver();
      }
      if (mishap !== null && mishap.kind !== 'lost') {
        clock.after(mishap.ms, deliver);
      }
    },
  };
}
