import type { ClusterRun } from '../shared/world.ts';

/**
 * Reports about a cluster beside its decision. The evaluation has reported an object that causes an exception here, and
 * has gone on without the object: so does this function.
 */
export function reportSafely<T>(
  { world, cluster }: Pick<ClusterRun, 'world' | 'cluster'>,
  what: string,
  say: () => T,
  otherwise: T,
): T {
  try {
    return say();
  } catch (error) {
    world.log.error(`${cluster.name}: ${what} could not be determined`, { error });
    return otherwise;
  }
}
