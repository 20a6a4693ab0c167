import type { ClusterRun } from '../shared/services.ts';

/**
 * Reports about a cluster beside its decision. The evaluation has reported an object that causes an exception here, and
 * has gone on without the object: so does this function.
 */
export function reportSafely<T>(
  { services, cluster }: Pick<ClusterRun, 'services' | 'cluster'>,
  what: string,
  say: () => T,
  otherwise: T,
): T {
  try {
    return say();
  } catch (error) {
    services.log.error(`${cluster.name}: ${what} could not be determined`, { error });
    return otherwise;
  }
}
