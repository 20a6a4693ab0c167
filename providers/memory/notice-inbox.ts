import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { ArrivedEvent, NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** An inbox for one process. */
export function createMemoryInbox(): NoticeInbox {
  const clusters = new Map<ClusterName, Map<string, ArrivedEvent>>();
  const of = (cluster: ClusterName): Map<string, ArrivedEvent> => getOrMake(clusters, cluster, () => new Map());
  return {
    add: async (cluster, event) => void of(cluster).set(event.id, event),
    list: async (cluster) => [...of(cluster).values()].sort((a, b) => byName(a.id, b.id)),
    remove: async (cluster, ids) => ids.forEach((id) => of(cluster).delete(id)),
  };
}
