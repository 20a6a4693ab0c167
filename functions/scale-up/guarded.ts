import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { World } from '../shared/world.ts';

/**
 * Reports about a cluster beside its decision. The evaluation has reported an object that causes an exception here, and
 * has gone on without the object: so does this function.
 */
export function guarded<T>(
  { log }: Pick<World, 'log'>,
  cluster: ClusterName | string,
  what: string,
  say: () => T,
  otherwise: T,
): T {
  try {
    return say();
  } catch (error) {
    log.error(`${cluster}: ${what} could not be determined`, { error });
    return otherwise;
  }
}
