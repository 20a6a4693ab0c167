import type { Notice } from '../model/notice.ts';
import type { EpochMs } from '../model/values/time.ts';

/** Does the notice say that its instance is about to end, whatever the cause? */
export const saysThatItEnds = ({ kind }: Pick<Notice, 'kind'>): boolean =>
  kind === 'LifecycleHook' || kind === 'InstanceStopping';

/** When such an end began: by the event's own time where that is known, since the event may have come much later. */
export function endBegan({ kind, receivedAt, endsAt, hook }: Notice): EpochMs {
  return hook?.waitsSince ?? (kind === 'InstanceStopping' ? endsAt : null) ?? receivedAt;
}
