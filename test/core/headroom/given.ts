import { ACTIVE_CAPACITY, type CapacityBuffer, type PodTemplate } from '../../../core/model/cluster/capacity-buffer.ts';
import { type Amounts, pod } from '../../builders.ts';

/** A buffer of the PodTemplate `chunk` of namespace `default`. */
export const buffer = (name: string, given: Partial<CapacityBuffer> = {}): CapacityBuffer => ({
  namespace: 'default',
  name,
  uid: `uid-${name}`,
  generation: 1,
  createdAt: null,
  strategy: ACTIVE_CAPACITY,
  podTemplate: 'chunk',
  scalable: null,
  replicas: null,
  percentage: null,
  limits: null,
  conditions: [],
  statusReplicas: null,
  ...given,
});

export const template = (name: string, requests: Amounts): PodTemplate => ({
  namespace: 'default',
  name,
  generation: 1,
  pod: pod(name, { requests, uid: '' }),
});
