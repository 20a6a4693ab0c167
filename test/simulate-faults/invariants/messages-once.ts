import type { Message } from '../../../core/model/message.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import type { Invariant } from './invariant.ts';

/** An occurrence has one message. Identifiers name decisions: a backoff outlasts its decision, and is named by its failure. */
export const messagesOnce: Invariant = {
  name: 'no message is sent twice',
  watch: ({ orders, remembered }, violate, count) => {
    let sent = { since: orders.lostAt(), occurrences: new Set<string>() };
    const failureOf = (group: GroupName): unknown => remembered()?.state.backoff[group]?.lastFailure;
    const occurrenceOf = ({ kind, id, group }: Message): string =>
      kind === 'GivenUp' && group !== undefined ? `${group} fails at ${String(failureOf(group))}` : id;
    return {
      message: (message) => {
        if (orders.lostAt() !== sent.since) {
          // Versions begin at 1 again, and notices are stored again.
          sent = { since: orders.lostAt(), occurrences: new Set() };
        }
        count(true);
        const occurrence = occurrenceOf(message);
        if (sent.occurrences.has(occurrence)) {
          violate(`${message.id} is sent again: ${occurrence}`);
        }
        sent.occurrences.add(occurrence);
      },
    };
  },
};
