import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import { createDynamoDbClient } from './client.ts';
import { createDrainPersistence } from './drain-persistence.ts';
import { createDynamoDbHistory } from './history.ts';
import { createStatePersistence, type PersistenceOptions, reportUnreadable } from './state-persistence.ts';

interface Persistence {
  readonly store: StateStore;
  readonly drains: DrainStore;
  readonly inbox: NoticeInbox;
  readonly history: DecisionHistory;
}

/** State, intents, notices, history and drains in DynamoDB; what cannot be read or stored there is logged and counted. */
export function createPersistence(options: PersistenceOptions): Persistence {
  const { region, table } = options;
  const client = createDynamoDbClient({ region });
  const unreadable = reportUnreadable(options);
  return {
    ...createStatePersistence(options, client),
    history: createDynamoDbHistory({
      client,
      table,
      onUnreadable: (problem) => unreadable('A decision of the history could not be read and is left out', problem),
    }),
    ...createDrainPersistence(options, client),
  };
}
