import { describe, expect, test } from 'vitest';
import { isAllCapacityHeld } from '../../../core/disruption/held-capacity.ts';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Disruption } from '../../../core/model/disruption.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { group, NOW, running } from '../../scenario-builders.ts';
import { buffer, template } from '../headroom/given.ts';
import { pods, request } from '../headroom/requests/given.ts';
import { ago, BEFORE, clusterOf, replica, WEB, workerNode } from '../scaledown/cluster.ts';

const COMMAND: Disruption = {
  nodes: [nodeName('old')],
  reason: 'Drifted',
  replacement: groupName('web'),
  maxCost: 1,
  basis: 'size',
  saving: 0,
  moves: 1,
  since: ago(1),
  deadline: addTime(NOW, minutes(30)),
};

interface Given {
  /** Nodes beside `old`, which has drifted and waits for its replacement; all have 4 cores. */
  readonly others: readonly string[];
  /** Cores that the pod of `old` asks for. */
  readonly pod: number;
  /** Number of virtual pods. */
  readonly buffer?: number;
  readonly booked?: number;
  /** Size of each virtual pod. */
  readonly cores?: number;
  readonly max?: number;
  readonly more?: readonly NodeGroup[];
  readonly waits?: boolean;
}

const world = ({
  others,
  pod,
  buffer: virtual,
  booked,
  cores = 1,
  max = 10,
  more = [],
  waits = true,
}: Given): Scenario =>
  clusterOf({
    nodes: ['old', ...others].map((name) => workerNode(name, { createdAt: ago(600) })),
    pods: [replica('p', 'old', { requests: { cpu: String(pod), memory: '1Gi' } })],
    groups: [
      group('web', {
        nodes: ['old', ...others],
        instances: [
          { ...running('i-old', 'old'), drifted: 'launch template version 1, not 2' },
          ...others.map((name) => running(`i-${name}`, name)),
        ],
        max,
      }),
      ...more,
    ],
    options: { driftReplacement: 'replace', capacityBuffers: true, provisioningRequests: true },
    state: { ...BEFORE, lastScaleUpEvaluation: ago(1), ...(waits && { disruptions: [COMMAND] }) },
    objects: {
      controllers: [WEB],
      podTemplates: [template('chunk', { cpu: String(cores) })],
      ...(virtual !== undefined && { capacityBuffers: [buffer('spare', { replicas: virtual })] }),
      ...(booked !== undefined && {
        provisioningRequests: [
          request('train', {
            ...pods(booked),
            conditions: [
              { type: 'Provisioned', status: 'True', reason: 'CapacityIsFound', message: '', since: ago(2) },
            ],
          }),
        ],
      }),
    },
  });

const told = (given: Given) => {
  const { scaleDown } = evaluateScaleDown(world(given));
  const [one] = scaleDown.disruptions ?? [];
  return { state: one?.state, message: one?.message, removed: scaleDown.removals.map(({ node }) => node) };
};

describe('a node that waits for its replacement, beside room that is held', () => {
  test('goes where its pods have places and no room is held', () => {
    expect(told({ others: ['b'], pod: 3 })).toMatchObject({ state: 'Ready', removed: ['old'] });
  });

  test('goes where there is room for both', () => {
    expect(told({ others: ['b'], pod: 3, buffer: 1 })).toMatchObject({ state: 'Ready', removed: ['old'] });
    expect(told({ others: ['b'], pod: 3, booked: 1 })).toMatchObject({ state: 'Ready', removed: ['old'] });
  });

  test('stays where its pods would take the room of a CapacityBuffer, until a new node is ready', () => {
    const given = { others: ['b'], pod: 3, buffer: 2 };
    expect(told(given)).toEqual({
      state: 'Waiting',
      message: 'the capacity of CapacityBuffer default/spare is not on a ready node yet',
      removed: [],
    });
    expect(evaluateScaleUp(world(given)).scaleUp.increases).toEqual([{ group: 'web', from: 2, to: 3 }]);
    expect(told({ ...given, others: ['b', 'c'] })).toMatchObject({ state: 'Ready', removed: ['old'] });
  });

  test('is kept if no node can be launched for such capacity', () => {
    expect(told({ others: ['b'], pod: 3, buffer: 2, max: 2 })).toEqual({
      state: 'Waiting',
      message: 'the room that CapacityBuffer default/spare asks for would not be available together with it',
      removed: [],
    });
  });

  test('stays where the room of a ProvisioningRequest is on it', () => {
    expect(told({ others: ['b'], pod: 3, booked: 4 })).toMatchObject({ state: 'Waiting', removed: [] });
  });

  test('goes where there is no room for a buffer whether it goes or not', () => {
    expect(told({ others: ['b'], pod: 3, buffer: 2, cores: 8 })).toMatchObject({ state: 'Ready', removed: ['old'] });
  });

  test('does not keep another group from growing for the room of a buffer', () => {
    const more = [group('large', { node: { cpu: 16, memory: '64Gi' } })];
    const given = { others: ['b'], pod: 3, buffer: 9, max: 2, more };
    const alone = evaluateScaleUp(world({ ...given, waits: false })).scaleUp.increases;
    expect(alone).toEqual([{ group: 'large', from: 0, to: 1 }]);
    expect(evaluateScaleUp(world(given)).scaleUp.increases).toEqual(alone);
  });

  test.each([
    ['smaller', 1, 'small'],
    ['larger', -1, 'old'],
  ])(
    'goes alone where both would take the room of others, if the one of the %s pod has waited for longest',
    (_, since, goes) => {
      const { state, nodeGroups, objects, ...given } = world({ others: ['b', 'small'], pod: 3, buffer: 2 });
      const instances = nodeGroups[0]!.instances.map((one) =>
        one.node === 'small' ? { ...one, drifted: 'launch template version 1, not 2' } : one,
      );
      const { scaleDown } = evaluateScaleDown({
        ...given,
        nodeGroups: [{ ...nodeGroups[0]!, instances }],
        objects: {
          ...objects,
          pods: [...objects.pods, replica('q', 'small', { requests: { cpu: '1', memory: '1Gi' } })],
        },
        options: { ...given.options, maxDrainParallelism: 2 },
        state: {
          ...state,
          disruptions: [
            COMMAND,
            { ...COMMAND, nodes: [nodeName('small')], since: addTime(COMMAND.since, minutes(-since / 2)) },
          ],
        },
      });
      expect(scaleDown.removals.map(({ node }) => node)).toEqual([goes]);
    },
  );
});

test.each(['CapacityIsFound', 'CapacityIsProvisioned', 'CapacityIsNotFound'] as const)(
  'the room of a ProvisioningRequest that is looked for is on no node that is there: %s',
  (outcome) => {
    const plan = evaluateScaleUp(world({ others: [], pod: 1 })).scaleUp;
    const asks = {
      name: 'default/train',
      class: 'check-capacity',
      outcome,
      wanted: 1,
      fits: 1,
      triggered: 0,
      message: '',
    };
    expect(isAllCapacityHeld({ ...plan, provisioningRequests: [asks] }, 'existing')).toBe(false);
    expect(isAllCapacityHeld({ ...plan, provisioningRequests: [{ ...asks, outcome: 'Booked' }] }, 'existing')).toBe(
      true,
    );
  },
);
