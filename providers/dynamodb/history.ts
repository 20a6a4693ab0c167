import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import { createHistory } from '../history/history.ts';
import { type DynamoDbHistoryOptions, dynamoDbHistoryItems } from './history-items.ts';

/** The history in the table of the state. Needs `dynamodb:Query` and `GetItem` to read, and `PutItem` and `UpdateItem` to write. */
export const createDynamoDbHistory = (options: DynamoDbHistoryOptions): DecisionHistory =>
  createHistory({ items: dynamoDbHistoryItems(options), onUnreadable: options.onUnreadable });
