import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { OmittedPart } from './omitted-part.ts';
import type { OnQuarantine } from './quarantine.ts';

/** The dependencies of every call to the table. */
export interface Access {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly onQuarantine: OnQuarantine;
  /** Called with parts of the state that a commit has left out because the whole does not fit. */
  readonly onOmitted?: OnOmitted | undefined;
}

/** Access to the items of one cluster, for one call of the store. */
export interface PartitionAccess extends Access {
  readonly cluster: ClusterName;
  readonly signal: AbortSignal | undefined;
}

export type OnOmitted = (omission: { readonly cluster: ClusterName; readonly omitted: readonly OmittedPart[] }) => void;

/** An item as the document client returns it, not validated. */
export type Item = Readonly<Record<string, unknown>>;
