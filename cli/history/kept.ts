import type { MODE_WORDS } from '@outrigger/core/words/modes.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { dryRunOf } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import type { ClusterStores } from '../explain/stored.ts';

/** Under which name the decisions of a cluster are kept. */
export interface KeptAs {
  readonly name: ClusterName;
  readonly mode: keyof typeof MODE_WORDS;
}

/** The history of the deployment that has decided last, acting or observing. */
export async function keptAs({ cluster, history, signal }: ClusterStores): Promise<KeptAs> {
  const latest = async (name: ClusterName): Promise<number> =>
    (await history.list(name, { limit: 1 }, signal))[0]?.at ?? 0;
  const [acting, observing] = await Promise.all([latest(cluster), latest(dryRunOf(cluster))]);
  return observing > acting ? { name: dryRunOf(cluster), mode: 'observe' } : { name: cluster, mode: 'act' };
}
