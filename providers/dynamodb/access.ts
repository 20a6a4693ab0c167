import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OnQuarantine } from './quarantine.ts';

/** What every call to the table needs. */
export interface Access {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly onQuarantine: OnQuarantine;
}

/** An item as the document client gives it: not looked at yet. */
export type Item = Readonly<Record<string, unknown>>;
