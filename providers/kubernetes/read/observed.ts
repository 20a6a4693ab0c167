import type { ClusterObjects } from '../../../core/model/scenario.ts';

/** An object of any of the kinds that are observed. */
export type ObservedObject = ClusterObjects[keyof ClusterObjects][number];
