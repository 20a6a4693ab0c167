import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import { type DurationMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { Access, OnOmitted } from './access.ts';
import { commitCluster } from './commit.ts';
import { lastDecision } from './decisions.ts';
import { claimIntent, endIntent, pendingIntents, releaseIntent } from './intents.ts';
import { loadCluster } from './load.ts';
import { addNotice } from './notice-items.ts';
import { pauseItemsIn } from './pause-items.ts';
import type { OnQuarantine } from './quarantine.ts';
import type { ItemSet } from './snapshot.ts';

interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient;
  /** Name of the table; `table.ts` has its schema. */
  readonly table: string;
  /** Called for every item that could not be read, each time it is loaded. */
  readonly onQuarantine: OnQuarantine;
  /** Called with parts of the state that a commit has left out because the whole does not fit. */
  readonly onOmitted?: OnOmitted;
  /** Retention of decisions. Default: 7 days. */
  readonly retention?: DurationMs;
}

const ONE_WEEK = minutes(7 * 24 * 60);

/**
 * The store on AWS. One partition contains one cluster: its state, its intents, its decisions. A commit writes the
 * differences from the version that was loaded, in one transaction on condition that this version is still current; so
 * of several concurrent evaluations of a cluster one commits, the rest find a conflict, and no lock is needed. Calls
 * reject with the operation when DynamoDB is unreachable or refuses; an unreadable item is reported and counts as
 * absent.
 *
 * Needs `dynamodb:GetItem`, `PutItem`, `UpdateItem`, `DeleteItem` and `Query` on the table, nothing on streams.
 */
export function createDynamoDbStore(options: DynamoDbStoreOptions): StateStore {
  const { table, onQuarantine, retention = ONE_WEEK } = options;
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
    // A manually written number beyond 2^53 would otherwise make the whole response unreadable.
    unmarshallOptions: { wrapNumbers: Number },
  });
  const access: Access = { client, table, onQuarantine, onOmitted: options.onOmitted };
  /** The last loaded or committed version of each cluster: a commit writes only the differences from it. */
  const snapshots = new Map<ClusterName, ItemSet>();

  return {
    load: async (cluster, signal) => {
      const { persisted, snapshot } = await loadCluster(access, cluster, signal);
      snapshots.set(cluster, snapshot);
      return persisted;
    },

    commit: async (cluster, commit, signal) => {
      const known = snapshots.get(cluster);
      // Deleted until the outcome is known: a commit whose call fails may have been written.
      snapshots.delete(cluster);
      const before =
        known?.version === commit.expectedVersion ? known : (await loadCluster(access, cluster, signal)).snapshot;
      if (before.version !== commit.expectedVersion) {
        return { kind: 'conflict' };
      }
      const after = await commitCluster({ ...access, cluster, signal }, commit, before, retention);
      if (after === null) {
        return { kind: 'conflict' };
      }
      snapshots.set(cluster, after);
      return { kind: 'committed', version: after.version };
    },

    pendingIntents: async (...given) => await pendingIntents(access, ...given),
    claimIntent: async (cluster, id, claim, signal) => await claimIntent({ ...access, cluster, signal }, id, claim),
    releaseIntent: async (cluster, id, claimedUntil, signal) =>
      await releaseIntent({ ...access, cluster, signal }, id, claimedUntil),
    endIntent: async (cluster, id, end, signal) => await endIntent({ ...access, cluster, signal }, id, end),
    ...pauseItemsIn(access),
    addNotice: async (...given) => await addNotice(access, ...given),
    lastDecision: async (...given) => await lastDecision(access, ...given),
  };
}
