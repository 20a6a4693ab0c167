import { expect, test } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import { BOUND_TO_LABEL, POOL_LABEL, SIZE_LABEL, SKEW_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { placedAsAsked } from './placed-as-asked.ts';

interface Told {
  readonly units?: number;
  readonly boundTo?: string;
  /** Is the pod to be on another node than the other one of its workload? */
  readonly apart?: boolean;
  /** Is it to be alone of its workload on its node, by a topology spread constraint? */
  readonly spread?: boolean;
  /** The pods of its pool may be so many more in a zone than in zone b, which has none; absent: they are not spread over zones. */
  readonly maxSkew?: number;
  /** Is the other one on its way out? */
  readonly ending?: boolean;
}

/** A pod comes to a node of four units in zone a, on which there is one of a unit. */
function findingsOf({
  units = 1,
  boundTo,
  apart = false,
  spread = false,
  ending = false,
  maxSkew,
}: Told): readonly string[] {
  const pod = (name: string, size: number) => ({
    namespace: 'default',
    name,
    nodeName: 'node',
    labels: {
      app: 'web',
      [SIZE_LABEL]: String(size),
      ...(boundTo !== undefined && { [BOUND_TO_LABEL]: boundTo }),
      ...(maxSkew !== undefined && { [SKEW_LABEL]: 'red' }),
    },
    spec: {
      podAntiAffinity: apart ? [{ topologyKey: HOSTNAME_LABEL }] : [],
      topologySpread: spread ? [{ topologyKey: HOSTNAME_LABEL, whenUnsatisfiable: 'DoNotSchedule' }] : [],
    },
    deletedAt: ending && name === 'old' ? 1 : null,
    phase: 'Pending',
  });
  const node = {
    name: 'node',
    labels: { [POOL_LABEL]: 'red', [ZONE_LABEL]: 'a' },
    allocatable: { cpu: 4 * UNIT_CPU + DAEMON_CPU },
  };
  const stage = {
    scenario: {
      pools: [
        {
          name: 'red',
          units: 4,
          groups: ['red-1'],
          ...(maxSkew !== undefined && { skew: { maxSkew, minDomains: null } }),
        },
      ],
    },
    world: {
      api: {
        nodes: new Map(
          [node, { ...node, name: 'other', labels: { ...node.labels, [ZONE_LABEL]: 'b' } }].map((one) => [
            one.name,
            one,
          ]),
        ),
        pods: new Map([pod('old', 1), pod('new', units)].map((one) => [`default/${one.name}`, one])),
      },
    },
  } as unknown as Stage;
  const found: string[] = [];
  placedAsAsked.watch(
    stage,
    (what) => found.push(what),
    () => {},
  ).event!({ kind: 'PodBound', pod: 'default/new', node: 'node' } as never);
  return found;
}

test.each([
  { name: 'that has room for it', told: { units: 3 }, found: [] },
  { name: 'of its zone', told: { boundTo: 'a' }, found: [] },
  { name: 'of another zone', told: { boundTo: 'b' }, found: ['default/new is bound to b, and runs on node in a'] },
  { name: 'that has no room for it', told: { units: 4 }, found: ['node holds 4 units, and has pods of 5'] },
  {
    name: 'that has one that it is to be apart from',
    told: { apart: true },
    found: ['default/new runs on node beside another pod of its workload, and is to be apart'],
  },
  {
    name: 'that has one that it is to be spread from',
    told: { spread: true },
    found: ['default/new runs on node beside another pod of its workload, and is to be apart'],
  },
  {
    name: 'of a zone that has as many more than another one as it may',
    told: { maxSkew: 1 },
    found: ['default/new runs on node in a, which has 2 pods more than another zone'],
  },
  { name: 'of a zone that may have so many more than another one', told: { maxSkew: 2 }, found: [] },
  { name: 'of a zone from which another one is going', told: { maxSkew: 1, ending: true }, found: [] },
  { name: 'from which the one that it is to be spread from is going', told: { spread: true, ending: true }, found: [] },
])('a pod on a node $name: $found', ({ told, found }) => {
  expect(findingsOf(told)).toEqual(found);
});
