import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import { createDynamoDbClient } from './client.ts';
import { createDynamoDbDrains } from './drains.ts';
import { type PersistenceOptions, reportUnreadable } from './state-persistence.ts';

/** Drains in DynamoDB; what cannot be read or stored there is logged and counted. */
export function createDrainPersistence(
  options: PersistenceOptions,
  client: DynamoDBDocumentClient = createDynamoDbClient({ region: options.region }),
): { readonly drains: DrainStore } {
  const { table, log, metrics } = options;
  const unreadable = reportUnreadable(options);
  return {
    drains: createDynamoDbDrains({
      client,
      table,
      onUnreadable: (problem) =>
        unreadable('A stored drain could not be read: its node stays tainted until that is mended', problem),
      onAbridged: (omitted) => {
        log.warn(
          'Evicted pods are too large to be kept whole; their replacements are planned for once they are there',
          { ...omitted },
        );
        metrics.count('AbridgedPods', omitted.pods.length);
      },
    }),
  };
}
