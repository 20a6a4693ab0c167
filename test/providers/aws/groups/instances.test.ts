import { LifecycleState } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../../core/model/values/time.ts';
import {
  instanceOfNode,
  instanceState,
  membersOf,
  namesOf,
  nodesByInstance,
} from '../../../../providers/aws/groups/instances.ts';
import { node } from '../../../builders.ts';

const STATES: Readonly<Record<LifecycleState, ReturnType<typeof instanceState>>> = {
  Pending: 'Creating',
  'Pending:Wait': 'Creating',
  'Pending:Proceed': 'Creating',
  InService: 'Running',
  Quarantined: 'Running',
  ReplacingRootVolume: 'Running',
  'ReplacingRootVolume:Wait': 'Running',
  'ReplacingRootVolume:Proceed': 'Running',
  RootVolumeReplaced: 'Running',
  Terminating: 'Deleting',
  'Terminating:Wait': 'Deleting',
  'Terminating:Proceed': 'Deleting',
  'Terminating:Retained': 'Deleting',
  Terminated: 'Deleting',
  EnteringStandby: null,
  Standby: null,
  Detaching: null,
  Detached: null,
  'Warmed:Pending': null,
  'Warmed:Pending:Wait': 'Deleting',
  'Warmed:Pending:Proceed': null,
  'Warmed:Pending:Retained': null,
  'Warmed:Running': null,
  'Warmed:Stopped': null,
  'Warmed:Hibernated': null,
  'Warmed:Terminating': null,
  'Warmed:Terminating:Wait': 'Deleting',
  'Warmed:Terminating:Proceed': null,
  'Warmed:Terminating:Retained': null,
  'Warmed:Terminated': null,
};

describe('lifecycle state', () => {
  test.each(Object.values(LifecycleState).map((state) => [state, STATES[state]] as const))(
    '%s is %s',
    (state, expected) => {
      expect(instanceState(state)).toBe(expected);
    },
  );

  test('one that AWS adds later counts as running', () => {
    expect(instanceState('Meditating:Wait')).toBe('Running');
  });
});

describe('instance of a node', () => {
  test.each([
    ['aws:///us-east-1a/i-0abc', 'i-0abc'],
    ['aws:///us-west-2-lax-1a/i-0abc', 'i-0abc'],
    ['aws:///us-east-1a/0b1c/fargate-ip-10-0-0-1.ec2.internal', null],
    ['eks-hybrid:///us-east-1/c1/mi-0abc', null],
    ['gce://project/zone/i-0abc', null],
    ['', null],
    [null, null],
  ])('%s is %s', (providerId, expected) => {
    expect(instanceOfNode(node('n', {}, { providerId }))).toBe(expected);
  });
});

const at = (name: string, id: string, createdAt: number | null = null) =>
  node(name, {}, { providerId: `aws:///us-east-1a/${id}`, createdAt: createdAt === null ? null : epochMs(createdAt) });
const member = (id: string, lifecycleState: string = LifecycleState.IN_SERVICE) => ({
  id,
  zone: 'us-east-1a',
  lifecycleState,
  launchedFrom: null,
});

describe('members of a group', () => {
  test('come in one order, with their nodes, whatever the order they are found in', () => {
    const index = nodesByInstance([at('n2', 'i-2'), at('other', 'i-9'), at('n1', 'i-1')]);
    const { instances, nodes } = membersOf([member('i-3', 'Pending'), member('i-2'), member('i-1')], index);

    expect(instances.map(({ id, node: of, state }) => [id, of, state])).toEqual([
      ['i-1', 'n1', 'Running'],
      ['i-2', 'n2', 'Running'],
      ['i-3', null, 'Creating'],
    ]);
    expect(namesOf(nodes)).toEqual(['n1', 'n2']);
  });

  test('in standby or in the warm pool are left out with their nodes', () => {
    const index = nodesByInstance([at('n1', 'i-1'), at('n2', 'i-2')]);
    expect(membersOf([member('i-1', 'Standby'), member('i-2', 'Warmed:Running')], index)).toEqual({
      instances: [],
      nodes: [],
    });
  });

  test('registered twice are known by their newest node, and keep both', () => {
    const index = nodesByInstance([at('old', 'i-1', 1), at('young', 'i-1', 2)]);
    const { instances, nodes } = membersOf([member('i-1')], index);
    expect(instances[0]!.node).toBe('young');
    expect(namesOf(nodes)).toEqual(['old', 'young']);
  });
});
