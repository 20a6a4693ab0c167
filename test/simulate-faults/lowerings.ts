import type { GroupName } from '../../core/model/values/names.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { READ_AGE_MS } from './what-is-so.ts';

/** Sizes that other clients have lowered. */
export interface Lowerings {
  /** The size that a group had when a decision of now may have read it; `null` where no other client has lowered it since. */
  readonly before: (group: GroupName) => number | null;
}

export function watchLowerings({ clock, onEvent }: Pick<SimulatedWorld, 'clock' | 'onEvent'>): Lowerings {
  const lowered: { readonly group: GroupName; readonly at: EpochMs; readonly from: number }[] = [];
  onEvent((event) => {
    if (event.kind === 'SizeSetElsewhere' && event.to < event.from) {
      lowered.push(event);
    }
  });
  return {
    before: (name) => {
      const lately = lowered.filter(({ group, at }) => group === name && clock.now() - at <= READ_AGE_MS);
      return lately.length === 0 ? null : Math.max(...lately.map(({ from }) => from));
    },
  };
}
