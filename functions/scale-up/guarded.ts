import type { ClusterName } from '../../core/model/values/names.ts';
import type { World } from '../shared/world.ts';

/**
 * What is said about a cluster beside its decision. An object that this fails for has been reported by the evaluation, which
 * has gone on without it: so does this.
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
