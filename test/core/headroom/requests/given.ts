import {
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  type ProvisioningRequest,
} from '../../../../core/model/cluster/provisioning-request.ts';
import type { StatusCondition } from '../../../../core/model/cluster/status-condition.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { NOW, scenario, type ScenarioGiven } from '../../../scenario-builders.ts';
import { template } from '../given.ts';

/** A request of class check-capacity for one pod of the PodTemplate `chunk`, a minute old. */
export const request = (name: string, given: Partial<ProvisioningRequest> = {}): ProvisioningRequest => ({
  namespace: 'default',
  name,
  uid: `uid-${name}`,
  generation: 1,
  resourceVersion: '7',
  createdAt: epochMs(NOW - 60_000),
  className: CHECK_CAPACITY,
  podSets: [{ podTemplate: 'chunk', count: 1 }],
  parameters: {},
  conditions: [],
  ...given,
});

export const atomic = (name: string, given: Partial<ProvisioningRequest> = {}): ProvisioningRequest =>
  request(name, { className: BEST_EFFORT_ATOMIC, ...given });

export const pods = (count: number, podTemplate = 'chunk'): Pick<ProvisioningRequest, 'podSets'> => ({
  podSets: [{ podTemplate, count }],
});

export const condition = (type: string, minutesAgo: number, status = 'True'): StatusCondition => ({
  type,
  status,
  reason: 'Whatever',
  message: '',
  since: epochMs(NOW - minutesAgo * 60_000),
});

/** A cluster with these requests, and the PodTemplate `chunk` of one cpu. */
export const requested = (
  provisioningRequests: readonly ProvisioningRequest[],
  { objects, options, ...given }: ScenarioGiven = {},
): Scenario =>
  scenario({
    ...given,
    options: { provisioningRequests: true, ...options },
    objects: { provisioningRequests, podTemplates: [template('chunk', { cpu: 1 })], ...objects },
  });
