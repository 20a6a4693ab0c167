import { hasReturned, nodeUids } from '../model/returned-instance.ts';
import type { Notice } from '../model/notice.ts';
import type { Scenario } from '../model/scenario.ts';
import { openNotices, type Removals } from './due.ts';
import { ofPresentLives } from './present-lives.ts';

/**
 * The notices about which something may be to be done in a cluster as it was observed, one for each instance. What was announced
 * of an instance before it came back from a warm pool, and what was done for that, counts for nothing now.
 *
 * @param observed with the node groups as the cloud describes them
 */
export function observedNotices(
  { notices, drains, intents }: Removals & { readonly notices: readonly Notice[] },
  { nodeGroups, objects, now }: Pick<Scenario, 'nodeGroups' | 'objects' | 'now'>,
): readonly Notice[] {
  if (notices.length === 0) {
    return notices;
  }
  const uids = nodeUids(objects.nodes);
  const ofNow = drains.filter((stored) => !nodeGroups.some((group) => hasReturned(stored, group, now, uids)));
  return openNotices(ofPresentLives({ notices, nodeGroups, objects, now }), { drains: ofNow, intents }, now);
}
