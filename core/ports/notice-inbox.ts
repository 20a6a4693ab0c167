import type { Notice } from '../model/notice.ts';
import type { ClusterName } from '../model/values/names.ts';

/** An event's announcement about an instance, before the instance's cluster is known. */
export type Announcement = Omit<Notice, 'group'>;

/** The announcements of one event. */
export interface ArrivedEvent {
  /** ID of the event: an event that is delivered twice arrives once. */
  readonly id: string;
  readonly announcements: readonly Announcement[];
}

/**
 * Events about instances, until the instances' clusters are known. Events come one by one, and the clusters of many
 * instances are asked for at a time: stored events are delivered to a function, one invocation after the other.
 */
export interface NoticeInbox {
  add(cluster: ClusterName, event: ArrivedEvent, signal?: AbortSignal): Promise<void>;
  /** All that have arrived, by id. */
  list(cluster: ClusterName, signal?: AbortSignal): Promise<readonly ArrivedEvent[]>;
  /** Forgets events; those that are gone already are no error. */
  remove(cluster: ClusterName, ids: readonly string[], signal?: AbortSignal): Promise<void>;
}
