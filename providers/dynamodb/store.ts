import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '../../core/model/names.ts';
import type { StateStore } from '../../core/model/ports.ts';
import { type DurationMs, minutes } from '../../core/model/time.ts';
import type { Access, Item } from './access.ts';
import { commitCluster } from './commit.ts';
import { lastDecision } from './decisions.ts';
import { claimIntent, endIntent, releaseIntent } from './intents.ts';
import { loadCluster } from './load.ts';
import type { OnQuarantine } from './quarantine.ts';

export interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient;
  /** Name of the table; `table.ts` has its shape. */
  readonly table: string;
  /** Told of every item that could not be read, each time that it is met. */
  readonly onQuarantine: OnQuarantine;
  /** How long decisions are kept. Default: 7 days. */
  readonly retention?: DurationMs;
}

const ONE_WEEK = minutes(7 * 24 * 60);

/**
 * The store on AWS. One partition holds one cluster: its state, its intents, its decisions. A commit is one
 * transaction on condition that the version is the one that was loaded, so of several evaluations that race for a
 * cluster one commits and the others see a conflict; nobody holds a lock. Calls reject when DynamoDB cannot be reached
 * or refuses, with what was tried; an item that makes no sense is reported, taken as absent, and never the end of it.
 *
 * Needs `dynamodb:GetItem`, `PutItem`, `UpdateItem`, `DeleteItem` and `Query` on the table, nothing on streams.
 */
export function createDynamoDbStore(options: DynamoDbStoreOptions): StateStore {
  const { table, onQuarantine, retention = ONE_WEEK } = options;
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
    // A number beyond 2^53 that somebody wrote by hand would otherwise make the whole answer unreadable.
    unmarshallOptions: { wrapNumbers: Number },
  });
  const access: Access = { client, table, onQuarantine };
  /** Unreadable states by cluster, as last loaded: the commit that replaces one keeps it under another key. */
  const unreadable = new Map<ClusterName, { readonly version: number; readonly item: Item }>();

  return {
    load: async (cluster, signal) => {
      const { stored, stateItem, intents } = await loadCluster(access, cluster, signal);
      if (stored.unreadable && stateItem !== null) {
        unreadable.set(cluster, { version: stored.version, item: stateItem });
      } else {
        unreadable.delete(cluster);
      }
      return { version: stored.version, state: stored.state, intents };
    },

    commit: async (cluster, commit, signal) => {
      const aside = unreadable.get(cluster);
      const replaced = aside?.version === commit.expectedVersion ? aside.item : null;
      const outcome = await commitCluster(access, cluster, commit, retention, replaced, signal);
      unreadable.delete(cluster);
      return outcome;
    },

    claimIntent: async (...given) => await claimIntent(access, ...given),
    releaseIntent: async (...given) => await releaseIntent(access, ...given),
    endIntent: async (...given) => await endIntent(access, ...given),
    lastDecision: async (...given) => await lastDecision(access, ...given),
  };
}
