import { type Notice, noticeContent } from '../model/notice.ts';
import { byName } from '../model/values/names.ts';

/** Each notice once, as it was received first: by instance, and then by what it says. */
export function distinct(notices: readonly Notice[]): readonly Notice[] {
  const first = new Map<string, Notice>();
  for (const notice of notices) {
    const key = `${notice.instance} ${noticeContent(notice)}`;
    const known = first.get(key);
    if (known === undefined || notice.receivedAt < known.receivedAt) {
      first.set(key, notice);
    }
  }
  return [...first].sort(([a], [b]) => byName(a, b)).map(([, notice]) => notice);
}
