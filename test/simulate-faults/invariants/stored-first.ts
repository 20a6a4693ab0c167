import type { StoredDrain } from '../../../core/model/drain.ts';
import type { Invariant } from './invariant.ts';

const EFFECT = /^(?:writer\.(?:changeNode|evict|recordEvent)|groups\.terminate|terminations\.)/;

/** The drain that a driver has in hand, and whether the driver's last step of it was stored. */
interface Held {
  readonly drain: string;
  isStored: boolean;
}

/** A driver makes the effects of a step once that step is stored, and none of them where another driver was first. */
export const storedFirst: Invariant = {
  name: 'no driver makes the effects of a step that is not stored',
  watch: (_stage, violate, count) => {
    /** By invocation; `null`: one with several drains, whose calls are not told apart. */
    const held = new Map<string, Held | null>();
    return {
      answered: (invocation, call, answer) => {
        const known = held.get(invocation);
        if (call === 'drains.load' && answer !== null && known !== null) {
          const { id } = (answer as StoredDrain).drain;
          held.set(invocation, known === undefined || known.drain === id ? { drain: id, isStored: false } : null);
        } else if (call === 'drains.save' && known != null) {
          known.isStored = answer !== null && answer !== 'too large';
        } else if (EFFECT.test(call) && known != null) {
          count(true);
          if (!known.isStored) {
            violate(`${invocation} calls ${call} for drain ${known.drain}, whose step another driver has stored`);
          }
        }
      },
    };
  },
};
