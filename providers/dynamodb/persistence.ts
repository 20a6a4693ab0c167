import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { DecisionHistory } from '../../core/ports/decision-history.ts';
import type { Log, Metrics } from '../../core/ports/observability.ts';
import type { NoticeInbox } from '../../core/ports/notice-inbox.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { createDynamoDbClient } from './client.ts';
import { createDynamoDbDrains } from './drains.ts';
import { createDynamoDbHistory } from './history.ts';
import { createDynamoDbInbox } from './inbox.ts';
import { createDynamoDbStore } from './store.ts';

export interface Persistence {
  readonly store: StateStore;
  readonly drains: DrainStore;
  readonly inbox: NoticeInbox;
  readonly history: DecisionHistory;
}

export interface PersistenceOptions {
  readonly region: string;
  readonly table: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** State, intents, notices and drains in DynamoDB; what cannot be read or stored there is logged and counted. */
export function createPersistence({ region, table, log, metrics }: PersistenceOptions): Persistence {
  const client = createDynamoDbClient({ region });
  const unreadable = (what: string, problem: object): void => {
    log.error(what, { ...problem });
    metrics.count('QuarantinedItems', 1);
    metrics.count('NeedsCorrection', 1);
  };
  return {
    store: createDynamoDbStore({
      client,
      table,
      onQuarantine: (problem) => unreadable('Something stored could not be read and is left aside', problem),
      onOmitted: ({ omitted }) => {
        for (const { part, names } of omitted) {
          log.warn(`The state is too large to be stored whole: ${part} of ${names.length} is left out`, {
            part,
            names: names.slice(0, 20),
          });
          metrics.count('OmittedFromState', names.length);
        }
      },
    }),
    history: createDynamoDbHistory({
      client,
      table,
      onUnreadable: (problem) => unreadable('A decision of the history could not be read and is left out', problem),
    }),
    inbox: createDynamoDbInbox({
      client,
      table,
      onUnreadable: (problem) => unreadable('An event that has arrived could not be read and is left aside', problem),
    }),
    drains: createDynamoDbDrains({
      client,
      table,
      onUnreadable: (problem) =>
        unreadable('A stored drain could not be read: its node stays tainted until that is mended', problem),
      onAbridged: (omitted) => {
        log.warn(
          'Evicted pods are too large to be kept whole; their replacements are planned for once they are there',
          {
            ...omitted,
          },
        );
        metrics.count('AbridgedPods', omitted.pods.length);
      },
    }),
  };
}
