import { minutes } from '../../../core/model/values/time.ts';
import { isWholeGroup } from '../whole-groups.ts';
import type { Invariant } from './invariant.ts';

/** A maximum that was changed so lately may not have been read. */
const READ_AGE_MS = minutes(1);

/** A group that is all or nothing (`zeroOrMaxNodeScaling`) is raised to its maximum, whatever it had. */
export const allOrNothing: Invariant = {
  name: 'groups that are all or nothing are raised to their maximum',
  watch: ({ scenario, world: { clock } }, violate, count) => {
    const whole = scenario.groups.filter(isWholeGroup);
    const bounds = whole.map(({ name, maxSize }) => ({ group: name, maxSize, until: Number.POSITIVE_INFINITY }));
    return {
      event: (event) => {
        if (event.kind === 'BoundsSetElsewhere' && bounds.some(({ group }) => group === event.group)) {
          const last = bounds.findLast(({ group }) => group === event.group)!;
          last.until = event.at;
          bounds.push({ group: event.group, maxSize: event.maxSize, until: Number.POSITIVE_INFINITY });
        }
      },
      committed: ({ intents }) => {
        for (const intent of intents) {
          const maximums = bounds.filter(
            ({ group, until }) => group === intent.group && until > clock.now() - READ_AGE_MS,
          );
          if (intent.kind !== 'SetSize' || intent.to <= intent.from || maximums.length === 0) {
            continue;
          }
          count(true);
          if (!maximums.some(({ maxSize }) => maxSize === intent.to)) {
            const words = maximums.map(({ maxSize }) => maxSize).join(' or ');
            violate(`${intent.id} raises ${intent.group} from ${intent.from} to ${intent.to}: its maximum is ${words}`);
          }
        }
      },
    };
  },
};
