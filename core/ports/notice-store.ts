import type { ClusterName } from '../model/values/names.ts';
import type { Notice } from '../model/notice.ts';

/** Takes notices in; `StateStore.load` returns them. */
export interface NoticeStore {
  /**
   * Remembers a notice, for as long as the instance may still be there. A notice with the same content is the same
   * notice (`distinct`), as it was received first; several notices about an instance are merged when they are read
   * (`mergedNotices`). So notices may come many times, late and in any order.
   *
   * @returns whether no notice with the same content was there: true for one of several calls at the same time
   */
  addNotice(cluster: ClusterName, notice: Notice, signal?: AbortSignal): Promise<boolean>;
}
