import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { Log, Metrics } from '@outrigger/core/ports/observability.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import { createDynamoDbClient } from './client.ts';
import { createDynamoDbInbox } from './inbox.ts';
import { createDynamoDbStore } from './store.ts';

export interface PersistenceOptions {
  readonly region: string;
  readonly table: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Logs and counts what is stored and cannot be read. */
export const reportUnreadable =
  ({ log, metrics }: Pick<PersistenceOptions, 'log' | 'metrics'>) =>
  (what: string, problem: object): void => {
    log.error(what, { ...problem });
    metrics.count('QuarantinedItems', 1);
    metrics.count('NeedsCorrection', 1);
  };

/** State, intents and notices in DynamoDB; what cannot be read or stored there is logged and counted. */
export function createStatePersistence(
  options: PersistenceOptions,
  client: DynamoDBDocumentClient = createDynamoDbClient({ region: options.region }),
): { readonly store: StateStore; readonly inbox: NoticeInbox } {
  const { table, log, metrics } = options;
  const unreadable = reportUnreadable(options);
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
    inbox: createDynamoDbInbox({
      client,
      table,
      onUnreadable: (problem) => unreadable('An event that has arrived could not be read and is left aside', problem),
    }),
  };
}
