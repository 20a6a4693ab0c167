import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { isOf, type Pool } from '../pools.ts';
import { wouldTake, zoneOfGroup } from '../skewed-room.ts';
import { isWaiting } from '../truth.ts';
import type { Stage, Watch } from './invariant.ts';

export interface Stranded extends Required<Pick<Watch, 'committed' | 'event'>> {
  /** Of an instance that is removed, and was bought at this time. */
  readonly isStranded: (instance: InstanceId, bought: number) => boolean;
}

/**
 * Watches for nodes in a zone that takes no more pods, since what was bought in another zone of their pool has not come: its launch has failed,
 * or it was given up. Its pods are spread over the zones, wait when the removal is decided, and none of them may come to this one.
 */
export function watchStranded({
  scenario: { pools },
  world: { api, scaling, clock },
}: {
  readonly scenario: Pick<Stage['scenario'], 'pools'>;
  readonly world: Pick<Stage['world'], 'api' | 'scaling' | 'clock'>;
}): Stranded {
  const missed: { readonly pool: Pool; readonly zone: string; readonly at: EpochMs }[] = [];
  const closed = new Map<InstanceId, { readonly pool: Pool; readonly zone: string }>();
  const spreadOf = (group: GroupName) => {
    const pool = pools.find(({ groups }) => groups.includes(group));
    const view = scaling.groups().find((one) => one.group.name === group);
    return pool?.skew === undefined || view === undefined ? null : { pool, view, zone: zoneOfGroup(view.group) };
  };
  const isWaitedFor = (pool: Pool): boolean => api.pods.values().some((pod) => isOf(pool, pod) && isWaiting(pod));
  return {
    committed: ({ intents }) => {
      for (const intent of intents) {
        const spread = intent.kind === 'RemoveNodes' ? spreadOf(intent.group) : null;
        if (intent.kind === 'RemoveNodes' && spread !== null) {
          const { pool, view, zone } = spread;
          const isClosed = isWaitedFor(pool) && !wouldTake(view, pool, pools, { api });
          for (const { instance } of intent.nodes) {
            if (isClosed) {
              closed.set(instance, { pool, zone });
            } else {
              closed.delete(instance);
            }
          }
        }
      }
    },
    event: (event) => {
      if (event.kind === 'LaunchFailed' || (event.kind === 'InstanceTerminated' && event.node === null)) {
        const spread = spreadOf(event.group);
        if (spread !== null) {
          missed.push({ pool: spread.pool, zone: spread.zone, at: clock.now() });
        }
      }
    },
    isStranded: (instance, bought) => {
      const one = closed.get(instance);
      return (
        one !== undefined && missed.some(({ pool, zone, at }) => pool === one.pool && zone !== one.zone && at >= bought)
      );
    },
  };
}
