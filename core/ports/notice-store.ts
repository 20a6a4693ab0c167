import type { ClusterName } from '../model/values/names.ts';
import type { Notice } from '../model/notice.ts';

/** Takes notices in; `StateStore.load` returns them. */
export interface NoticeStore {
  /**
   * Remembers a notice, for as long as the instance may still be there. One that says the same is the same notice
   * (`distinct`), as it was received first; what several come to is told where they are read (`mergedNotices`). So notices may
   * come many times, late and in any order.
   */
  addNotice(cluster: ClusterName, notice: Notice, signal?: AbortSignal): Promise<void>;
}
