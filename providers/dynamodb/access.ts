import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { OmittedPart } from './omitted-part.ts';
import type { OnQuarantine } from './quarantine.ts';

/** What every call to the table needs. */
export interface Access {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly onQuarantine: OnQuarantine;
  /** Told of parts of the state that a commit has left out, as the whole would not have fitted. */
  readonly onOmitted?: OnOmitted | undefined;
}

export type OnOmitted = (omission: { readonly cluster: ClusterName; readonly omitted: readonly OmittedPart[] }) => void;

/** An item as the document client gives it: not looked at yet. */
export type Item = Readonly<Record<string, unknown>>;
