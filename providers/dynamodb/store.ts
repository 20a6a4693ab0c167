import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { type DurationMs, minutes } from '../../core/model/values/time.ts';
import type { Access, OnOmitted } from './access.ts';
import { commitCluster } from './commit.ts';
import { lastDecision } from './decisions.ts';
import { claimIntent, endIntent, pendingIntents, releaseIntent } from './intents.ts';
import { loadCluster } from './load.ts';
import type { OnQuarantine } from './quarantine.ts';
import type { Snapshot } from './snapshot.ts';

export interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient;
  /** Name of the table; `table.ts` has its shape. */
  readonly table: string;
  /** Told of every item that could not be read, each time that it is met. */
  readonly onQuarantine: OnQuarantine;
  /** Told of parts of the state that a commit has left out, as the whole would not have fitted. */
  readonly onOmitted?: OnOmitted;
  /** How long decisions are kept. Default: 7 days. */
  readonly retention?: DurationMs;
}

const ONE_WEEK = minutes(7 * 24 * 60);

/**
 * The store on AWS. One partition holds one cluster: its state, its intents, its decisions. A commit writes what differs
 * from the version that it was loaded with, in one transaction on condition that this version still stands; so of
 * several evaluations that race for a cluster one commits and the others see a conflict, and nobody holds a lock. Calls reject when DynamoDB cannot be reached
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
  const access: Access = { client, table, onQuarantine, onOmitted: options.onOmitted };
  /** What was last loaded or committed of each cluster: a commit writes only what differs from that. */
  const snapshots = new Map<ClusterName, Snapshot>();

  return {
    load: async (cluster, signal) => {
      const { persisted, snapshot } = await loadCluster(access, cluster, signal);
      snapshots.set(cluster, snapshot);
      return persisted;
    },

    commit: async (cluster, commit, signal) => {
      const known = snapshots.get(cluster);
      // Forgotten until the outcome is known: a commit that fails may have landed.
      snapshots.delete(cluster);
      const before =
        known?.version === commit.expectedVersion ? known : (await loadCluster(access, cluster, signal)).snapshot;
      if (before.version !== commit.expectedVersion) {
        return { kind: 'conflict' };
      }
      const after = await commitCluster(access, cluster, commit, before, retention, signal);
      if (after === null) {
        return { kind: 'conflict' };
      }
      snapshots.set(cluster, after);
      return { kind: 'committed', version: after.version };
    },

    pendingIntents: async (...given) => await pendingIntents(access, ...given),
    claimIntent: async (...given) => await claimIntent(access, ...given),
    releaseIntent: async (...given) => await releaseIntent(access, ...given),
    endIntent: async (...given) => await endIntent(access, ...given),
    lastDecision: async (...given) => await lastDecision(access, ...given),
  };
}
