import type { ClusterName } from '../model/values/names.ts';
import type { Notice } from '../model/notice.ts';

/** Takes notices in; `StateStore.load` returns them. */
export interface NoticeStore {
  /**
   * Remembers a notice, for as long as the instance may still be there. One about the same instance is merged with it
   * (`mergedNotice`), so that the same notice may come many times and late.
   */
  addNotice(cluster: ClusterName, notice: Notice, signal?: AbortSignal): Promise<void>;
}
