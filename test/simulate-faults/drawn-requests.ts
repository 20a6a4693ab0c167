import {
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  type ProvisioningRequest,
} from '../../core/model/cluster/provisioning-request.ts';
import { CONSUME_ANNOTATIONS } from '../../core/model/cluster/read-annotations.ts';
import { isConditionTrue } from '../../core/model/cluster/status-condition.ts';
import { addTime, durationMs, type EpochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import { type Workload, workloadKey } from '../../simulation/cluster/workload.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { NAMESPACE, poolsOfPlainPods, templateFor } from './drawn-buffers.ts';
import { lookEvery } from './truth.ts';
import type { Pool } from './pools.ts';
import type { DrawnRequest, FaultScenario } from './fault-scenario.ts';

/** Its name among what is drawn: the option that it needs. */
export const PROVISIONING_REQUESTS = 'provisioningRequests';

/** The part of the runs in which a queue asks for room before it starts its jobs. */
const PART = 0.15;

/** How often the queue looks at the statuses of its requests. */
const LOOKS_EVERY = seconds(5);

/** In some runs a queue asks for room one to three times, in pools in which CapacityBuffers may. */
export function withRequests(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const chance = chanceFor(scenario.seed, 'provisioning requests');
  const pools = poolsOfPlainPods(scenario);
  const part = always.includes(PROVISIONING_REQUESTS) ? 1 : PART;
  if (chance.next() >= part || pools.length === 0) {
    return scenario;
  }
  const requests = Array.from({ length: chance.within({ min: 1, max: 3 }) }, (_, n) =>
    drawnRequest(`job-${n}`, chance.oneOf(pools), scenario, chance),
  );
  return {
    ...scenario,
    options: { ...scenario.options, provisioningRequests: true },
    requests,
    drawn: [...scenario.drawn, PROVISIONING_REQUESTS],
  };
}

function drawnRequest(name: string, pool: Pool, { start, faultsUntil }: FaultScenario, chance: Chance): DrawnRequest {
  const className = chance.next() < 0.65 ? BEST_EFFORT_ATOMIC : CHECK_CAPACITY;
  const room = Math.floor((faultsUntil - start) / minutes(1));
  const from = chance.within({ min: 2, max: room - 10 });
  const lasts = chance.within({ min: 5, max: room - from - 1 });
  const created = addTime(start, minutes(from));
  const isLimited = chance.next() < 0.25;
  const limit: ProvisioningRequest['parameters'] =
    className === CHECK_CAPACITY
      ? { noRetry: 'true' }
      : { ValidUntilSeconds: String(chance.within({ min: 60, max: 900 })) };
  return {
    name,
    pool,
    className,
    units: chance.oneOf([1, 1, 2, 4]),
    // Some are more than the groups of a pool can hold.
    pods: chance.within({ min: 1, max: chance.next() < 0.2 ? 60 : 12 }),
    parameters: isLimited ? limit : {},
    from: created,
    until: addTime(created, minutes(lasts)),
    isDeleted: chance.next() < 0.5,
    startsAfter: chance.next() < 0.5 ? durationMs(chance.within({ min: 0, max: minutes(8) })) : null,
    runsFor: durationMs(chance.within({ min: minutes(1), max: minutes(10) })),
  };
}

const requestFor = ({ name, className, pods, parameters }: DrawnRequest, createdAt: EpochMs): ProvisioningRequest => ({
  namespace: NAMESPACE,
  name,
  uid: `request-${name}`,
  generation: 1,
  resourceVersion: '1',
  createdAt,
  className,
  podSets: [{ podTemplate: name, count: pods }],
  parameters,
  conditions: [],
});

/** Pods that name their request and, as pods of jobs do, keep their nodes. */
function jobFor(request: DrawnRequest): Workload {
  const { labels, spec } = templateFor(request).pod;
  return {
    kind: 'Job',
    namespace: NAMESPACE,
    name: request.name,
    pods: request.pods,
    labels: { app: request.name, ...labels },
    spec,
    runsFor: request.runsFor,
    annotations: { [CONSUME_ANNOTATIONS[0]]: request.name, 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
  };
}

/** Key of a request's job. */
const jobKey = ({ name }: Pick<DrawnRequest, 'name'>): string => workloadKey({ namespace: NAMESPACE, name });

/** A queue that creates requests at their times, starts a job when its request has been given room, and deletes both in the end. */
export function startQueue(
  { api, clock, controllers }: Pick<SimulatedWorld, 'api' | 'clock' | 'controllers'>,
  { requests }: { readonly requests: readonly DrawnRequest[] },
  log: (line: string) => void,
): void {
  for (const request of requests) {
    const { name, from, until, isDeleted, startsAfter, className, pods, units } = request;
    let isStarted = startsAfter === null;
    const look = (): void => {
      const one = api.headroomSources().provisioningRequests.find((other) => other.name === name);
      if (!isStarted && one !== undefined && isConditionTrue(one, 'Provisioned')) {
        isStarted = true;
        clock.after(startsAfter!, () => {
          if (clock.now() < until) {
            log(`${name} starts with ${pods} pods`);
            controllers.apply(jobFor(request));
          }
        });
      }
    };
    clock.at(from, () => {
      log(`${name} asks for room for ${pods} pods of ${units} units: ${className}`);
      api.changeHeadroomSources(({ provisioningRequests, podTemplates }) => ({
        provisioningRequests: [...provisioningRequests, requestFor(request, clock.now())],
        podTemplates: [...podTemplates, templateFor(request)],
      }));
    });
    lookEvery(LOOKS_EVERY, { clock }, from, until, look);
    clock.at(until, () => {
      log(`${name} is over${isDeleted ? ', and so is its request' : ''}`);
      controllers.remove(jobKey(request));
      if (isDeleted) {
        api.changeHeadroomSources(({ provisioningRequests }) => ({
          provisioningRequests: provisioningRequests.filter((one) => one.name !== name),
        }));
      }
    });
  }
}
