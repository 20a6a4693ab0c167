import type { Notice } from '../model/notice.ts';
import type { ClusterName } from '../model/values/names.ts';

/** What an event announces about an instance, before it is known whose instance that is. */
export type Announcement = Omit<Notice, 'group'>;

/** What one event announces. */
export interface ArrivedEvent {
  /** Of the event: one that is delivered twice arrives once. */
  readonly id: string;
  readonly announcements: readonly Announcement[];
}

/**
 * Events about instances, until it is known whose instances these are. Events come one by one, and whose they are is asked
 * for many at a time: what has arrived is delivered to a function, one invocation after the other.
 */
export interface NoticeInbox {
  add(cluster: ClusterName, event: ArrivedEvent, signal?: AbortSignal): Promise<void>;
  /** All that have arrived, by id. */
  list(cluster: ClusterName, signal?: AbortSignal): Promise<readonly ArrivedEvent[]>;
  /** Forgets events; those that are gone already are no error. */
  remove(cluster: ClusterName, ids: readonly string[], signal?: AbortSignal): Promise<void>;
}
