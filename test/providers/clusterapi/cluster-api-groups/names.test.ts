import { describe, expect, it } from 'vitest';
import { inIntentOrder, intentVersion } from '../../../../core/actuation/intent-order.ts';
import type { Intent } from '../../../../core/model/intent.ts';
import { launchFailureId, type NodeGroup } from '../../../../core/model/node-group.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { clusterName, groupName, instanceId, nodeName } from '../../../../core/model/values/names.ts';
import { intentsItems, readIntentsItem } from '../../../../providers/dynamodb/intents-item.ts';
import { rowsOf, withRows } from '../../../../providers/dynamodb/rows.ts';
import { readScenario, writeScenario } from '../../../../providers/scenario/scenario.ts';
import { NOW, group, running, scenario } from '../../../scenario-builders.ts';
import { node } from '../../../builders.ts';

/** With everything that names of Kubernetes may have. */
const GROUP = groupName('MachineDeployment/team-a/web-1.x');
const MACHINE = instanceId('team-a/web-1.x-7.2-abcde');
const IN_POOL = instanceId('aws:///us-east-1a/i-0123456789abcdef0');

const intent = (id: string, more: object): Intent =>
  ({
    id,
    group: GROUP,
    createdAt: NOW,
    status: 'pending',
    attempts: 0,
    claimedUntil: null,
    outcome: null,
    ...more,
  }) as Intent;

const INTENTS: readonly Intent[] = [
  intent(`7-${GROUP}`, { kind: 'SetSize', from: 1, to: 2, drained: [MACHINE] }),
  intent(`7.1-${GROUP}`, { kind: 'DeleteInstances', instances: [MACHINE, IN_POOL], force: false }),
  intent(`7.2-${GROUP}`, {
    kind: 'RemoveNodes',
    nodes: [{ node: nodeName('n1'), uid: 'u', instance: MACHINE, kind: 'drain' }],
  }),
];

describe('names of Cluster API', () => {
  it('are those of stored intents', () => {
    const items = intentsItems(clusterName('c1'), 7, INTENTS);
    const read = items.map(({ sk, ...item }) => readIntentsItem(sk, item));

    expect(read.flatMap(({ problems }) => problems)).toEqual([]);
    expect(read.flatMap(({ intents }) => intents).sort(inIntentOrder)).toEqual(INTENTS);
    expect(INTENTS.map(intentVersion)).toEqual([7, 7, 7]);
  });

  it('are those of stored rows', () => {
    const state = {
      ...EMPTY_STATE,
      scaleUpRequests: [{ group: GROUP, increase: 1, time: NOW, expectedAddTime: NOW }],
      unregisteredSince: { [MACHINE]: NOW, [IN_POOL]: NOW },
      seenErrors: { [GROUP]: [launchFailureId(GROUP, 0), MACHINE] },
    };

    expect(withRows(EMPTY_STATE, rowsOf(state))).toEqual(state);
  });

  it('are those of a scenario, with launches that failed', () => {
    const groups: readonly NodeGroup[] = [
      group(GROUP, {
        target: 3,
        nodes: ['n1'],
        instances: [running(MACHINE, 'n1'), running(IN_POOL, null)],
        launchFailures: [{ id: launchFailureId(GROUP, 0), class: 'Other', code: 'c', message: 'm', zone: null }],
      }),
    ];
    const given = { ...scenario({ groups, nodes: [node('n1', { cpu: 4 })] }), provider: 'clusterapi' as const };

    const read = readScenario(JSON.parse(JSON.stringify(writeScenario(given))));

    expect(read.ok && read.value.nodeGroups).toEqual(groups);
  });
});
