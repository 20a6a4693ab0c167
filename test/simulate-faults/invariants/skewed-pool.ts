import { POD_SPEC } from '../../builders.ts';
import { POOL_LABEL, SKEW_LABEL } from '../pools.ts';

/** A pool with a group in each of two zones, whose pods spread over these. @param maxSkew `null`: they do not. */
export const skewedPool = (maxSkew: number | null) => ({
  name: 'red',
  units: 4,
  groups: ['red-a', 'red-b'],
  ...(maxSkew !== null && { skew: { maxSkew, minDomains: null } }),
});

/** A pod of the workload of that pool, on a node, or waiting for one. */
export const skewedPod = (nodeName: string | null, pool = 'red') => ({
  nodeName,
  deletedAt: null,
  labels: { [SKEW_LABEL]: 'red' },
  annotations: {},
  controller: null,
  spec: { ...POD_SPEC, nodeSelector: { [POOL_LABEL]: pool } },
  phase: 'Running',
  unscheduled: nodeName === null ? { reason: 'Unschedulable' } : null,
});
