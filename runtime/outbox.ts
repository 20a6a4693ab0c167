import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Intent } from '@outrigger/core/model/intent.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import { arrivedKey, intentsKey, type Key } from '@outrigger/providers/dynamodb/keys.ts';

/**
 * The store, with each commit's intents announced as the table's stream announces them on AWS: by their keys.
 *
 * @param deliver called after the commit, in the background; must not throw
 */
export function withOutbox<S extends StateStore>(store: S, deliver: (event: DynamoDBStreamEvent) => void): S {
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

/** The inbox, with each event that arrives announced as the table's stream announces it. */
export const announcing = (inbox: NoticeInbox, deliver: (event: DynamoDBStreamEvent) => void): NoticeInbox => ({
  ...inbox,
  add: async (cluster, event, signal) => {
    await inbox.add(cluster, event, signal);
    deliver(insertionOf([arrivedKey(cluster, event.id)]));
  },
});

const insertionsOf = (cluster: ClusterName, intents: readonly Intent[]): DynamoDBStreamEvent =>
  insertionOf([...new Map(intents.map(({ id }) => [intentsKey(cluster, id).sk, intentsKey(cluster, id)])).values()]);

const insertionOf = (keys: readonly Key[]): DynamoDBStreamEvent => ({
  Records: keys.map(({ pk, sk }) => ({
    eventName: 'INSERT',
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
  })),
});
