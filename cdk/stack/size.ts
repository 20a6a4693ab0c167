import { Duration } from 'aws-cdk-lib';
import { type ClusterSize, SIZE_MEMORY_MIB } from '../../config/schema.ts';

/**
 * Memory and time by the size of the cluster. An evaluation is one thread, and 1,769 MB are one vCPU; most of its time it
 * waits for the API server and AWS. What one takes at most that lists a cluster of 200 nodes with a hostile user's pods of a
 * megabyte each (`hostile-objects` of `npm run bench`: 529 MB) fits into the smallest. New accounts have no more than
 * 3,008 MB.
 */
export const evaluationOf = (size: ClusterSize) => ({
  memoryMiB: SIZE_MEMORY_MIB[size],
  // The queue hides a wake-up as long as its evaluation may take.
  timeout: Duration.seconds(size === 'large' ? 180 : 60),
});
