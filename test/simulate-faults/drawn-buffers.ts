import { ACTIVE_CAPACITY, type CapacityBuffer, type PodTemplate } from '../../core/model/cluster/capacity-buffer.ts';
import { ZONE_LABEL } from '../../core/model/cluster/node.ts';
import { NEW_POD } from '../../core/model/cluster/pod.ts';
import { podRequests } from '../../core/model/cluster/pod-requests.ts';
import type { ResourceQuota } from '../../core/model/cluster/resource-quota.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { addTime, minutes } from '../../core/model/values/time.ts';
import { chanceFor } from '../../simulation/chance.ts';
import { plainSpec } from '../../simulation/cluster/pod-spec.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { UNIT_CPU } from './node-sizes.ts';
import { BOUND_TO_LABEL, POOL_LABEL, SIZE_LABEL, type Pool } from './pools.ts';
import type { DrawnBuffer, FaultScenario } from './fault-scenario.ts';

/** Its name among what is drawn: the option that it needs. */
export const CAPACITY_BUFFERS = 'capacityBuffers';

/** The part of the runs in which another client holds room by a CapacityBuffer. */
const PART = 0.06;
/** The part of the buffers that ask for more than a ResourceQuota of their namespace leaves them. */
const PART_LIMITED = 0.4;
/** By how many pods at most. */
const MOST_REFUSED = 6;
/** Use of the quota by the other pods that it counts, in pods of the buffer. */
const USED = 3;

/**
 * In some runs another client creates a CapacityBuffer, and removes it before faults are over or an hour later. Not where pods of the pool
 * are one to a node, since virtual ones are not.
 */
export function withBuffers(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const chance = chanceFor(scenario.seed, 'capacity buffers');
  const pools = poolsOfPlainPods(scenario);
  const part = always.includes(CAPACITY_BUFFERS) ? 1 : PART;
  if (chance.next() >= part || pools.length === 0) {
    return scenario;
  }
  const pool = chance.oneOf(pools);
  const room = Math.floor((scenario.faultsUntil - scenario.start) / minutes(1));
  const from = chance.within({ min: 3, max: room - 14 });
  const lasts = chance.within({ min: 12, max: Math.min(40, room - from - 1) });
  const created = addTime(scenario.start, minutes(from));
  const buffer: DrawnBuffer = {
    name: `${pool.name}-spare`,
    pool,
    units: chance.oneOf([1, 1, 2]),
    pods: chance.within({ min: 1, max: 8 }),
    refused: refusedFor(scenario.seed),
    from: created,
    until: outlastsFaults(scenario.seed) ? addTime(scenario.faultsUntil, OUTLASTED) : addTime(created, minutes(lasts)),
  };
  return {
    ...scenario,
    options: { ...scenario.options, capacityBuffers: true },
    buffers: [buffer],
    drawn: [...scenario.drawn, CAPACITY_BUFFERS],
  };
}

/** The part of the buffers that are there for some time after the last fault. */
const PART_OUTLASTING = 0.7;
const OUTLASTED = minutes(60);

const outlastsFaults = (seed: number): boolean => chanceFor(seed, 'lasting buffers').next() < PART_OUTLASTING;

function refusedFor(seed: number): number {
  const chance = chanceFor(seed, 'resource quotas');
  return chance.next() < PART_LIMITED ? chance.within({ min: 1, max: MOST_REFUSED }) : 0;
}

/** Pools whose nodes hold several pods: virtual pods can be like these. */
export const poolsOfPlainPods = ({ pools }: Pick<FaultScenario, 'pools'>): readonly Pool[] =>
  pools.filter(({ units }) => units > 1);

/** Namespace of all that asks for room. */
export const NAMESPACE = 'default';

/** Template of pods in a pool, for which room is asked before they are there. */
export const templateFor = ({ name, pool, units }: Pick<DrawnBuffer, 'name' | 'pool' | 'units'>): PodTemplate => ({
  namespace: NAMESPACE,
  name,
  generation: 1,
  pod: {
    namespace: NAMESPACE,
    name,
    uid: '',
    labels: { [SIZE_LABEL]: String(units), ...(pool.zone !== undefined && { [BOUND_TO_LABEL]: pool.zone }) },
    annotations: {},
    createdAt: null,
    controller: null,
    ...NEW_POD,
    spec: plainSpec(
      { [CPU]: units * UNIT_CPU },
      { nodeSelector: { [POOL_LABEL]: pool.name, ...(pool.zone !== undefined && { [ZONE_LABEL]: pool.zone }) } },
    ),
  },
});

const bufferFor = ({ name, pods, refused }: DrawnBuffer): CapacityBuffer => ({
  namespace: NAMESPACE,
  name,
  uid: `buffer-${name}`,
  generation: 1,
  createdAt: null,
  strategy: ACTIVE_CAPACITY,
  podTemplate: name,
  scalable: null,
  replicas: pods + refused,
  percentage: null,
  limits: null,
  conditions: [],
  statusReplicas: null,
});

/** The quotas of the namespace while a buffer is there: none but of the buffer whose pods they are to limit. */
function quotasFor(buffer: DrawnBuffer): readonly ResourceQuota[] {
  if (buffer.refused === 0) {
    return [];
  }
  const requests = Object.entries(podRequests(templateFor(buffer).pod));
  const ofPods = (pods: number) => Object.fromEntries(requests.map(([resource, amount]) => [resource, pods * amount]));
  return [
    { namespace: NAMESPACE, name: buffer.name, hard: ofPods(USED + buffer.pods), used: ofPods(USED), scopes: [] },
  ];
}

/** Creates and removes buffers at their times, each with its quota. */
export function startBuffers(
  { api, clock }: Pick<SimulatedWorld, 'api' | 'clock'>,
  { buffers }: { readonly buffers: readonly DrawnBuffer[] },
  log: (line: string) => void,
): void {
  for (const buffer of buffers) {
    clock.at(buffer.from, () => {
      const limited = buffer.refused === 0 ? '' : `, and asks for ${buffer.refused} more, which a quota refuses`;
      log(`${buffer.name} is to hold room for ${buffer.pods} pods of ${buffer.units} units${limited}`);
      api.changeHeadroomSources(({ capacityBuffers, podTemplates, resourceQuotas }) => ({
        resourceQuotas: [...resourceQuotas, ...quotasFor(buffer)],
        capacityBuffers: [...capacityBuffers, bufferFor(buffer)],
        podTemplates: [...podTemplates, templateFor(buffer)],
      }));
    });
    clock.at(buffer.until, () => {
      log(`${buffer.name} holds no more room`);
      api.changeHeadroomSources(({ capacityBuffers, podTemplates, resourceQuotas }) => ({
        resourceQuotas: resourceQuotas.filter(({ name }) => name !== buffer.name),
        capacityBuffers: capacityBuffers.filter(({ name }) => name !== buffer.name),
        podTemplates: podTemplates.filter(({ name }) => name !== buffer.name),
      }));
    });
  }
}
