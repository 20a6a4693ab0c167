import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { ClusterName } from '../core/model/values/names.ts';
import type { Intent } from '../core/model/intent.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { intentsKey } from '../providers/dynamodb/keys.ts';

/**
 * The store, with each commit's intents announced as the table's stream announces them on AWS: by their keys.
 *
 * @param deliver called after the commit, in the background; must not throw
 */
export function withOutbox(store: StateStore, deliver: (event: DynamoDBStreamEvent) => void): StateStore {
  return {
    ...store,
    commit: async (cluster, commit, signal) => {
      const outcome = await store.commit(cluster, commit, signal);
      if (outcome.kind === 'committed' && commit.intents.length > 0) {
        deliver(insertionsOf(cluster, commit.intents));
      }
      return outcome;
    },
  };
}

const insertionsOf = (cluster: ClusterName, intents: readonly Intent[]): DynamoDBStreamEvent => ({
  Records: [...new Map(intents.map(({ id }) => [intentsKey(cluster, id).sk, intentsKey(cluster, id)])).values()].map(
    ({ pk, sk }) => ({ eventName: 'INSERT', dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }),
  ),
});
