import { describe, expect, it } from 'vitest';
import type { InstanceState } from '../../../../core/model/node-group.ts';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { machineCondition, instancesOf } from '../../../../providers/clusterapi/groups/instances.ts';
import { node } from '../../../builders.ts';
import { type Raw, type RawFields, machine, scalable } from '../builders.ts';

const NONE: ReadonlyMap<string, readonly Node[]> = new Map();
const PENDING: Raw = { spec: { providerID: undefined }, status: { nodeRef: undefined, phase: 'Provisioning' } };
const failed = (status: Raw = {}): RawFields => ({
  status: { nodeRef: undefined, phase: 'Failed', failureReason: 'CreateError', failureMessage: 'quota', ...status },
});
const DELETED = '2026-01-01T01:00:00Z';

describe('a Machine', () => {
  it.each<[string, RawFields, boolean, InstanceState, string | null]>([
    ['that is pending', PENDING, false, 'Creating', null],
    [
      'with infrastructure and no node yet',
      { status: { nodeRef: undefined, phase: 'Provisioned' } },
      false,
      'Creating',
      null,
    ],
    ['with a reference to its node', {}, true, 'Running', null],
    ['whose node is not registered any more', {}, false, 'Running', null],
    ['whose node is registered before it says so', PENDING, true, 'Running', null],
    ['that failed before it had a node', failed(), false, 'Creating', 'ProvisioningFailed: CreateError: quota'],
    [
      'that failed without a message',
      failed({ failureReason: undefined, failureMessage: undefined }),
      false,
      'Creating',
      'ProvisioningFailed: the Machine has failed',
    ],
    ['that failed and has a node', failed({ nodeRef: { name: 'n' } }), true, 'Running', null],
    ['that is being deleted', { deletedAt: DELETED }, true, 'Deleting', null],
    ['that is being deleted before it has a node', { ...PENDING, deletedAt: DELETED }, false, 'Deleting', null],
    [
      'whose deletion fails',
      { ...failed(), deletedAt: DELETED },
      false,
      'Deleting',
      'DeletingFailed: CreateError: quota',
    ],
  ])('%s', (_case, fields, registered, state, error) => {
    const found = machineCondition(machine('m', fields), registered);

    expect(found.state).toBe(state);
    expect(found.error && `${found.error.code}: ${found.error.message}`).toBe(error);
    expect(found.error?.class ?? 'Other').toBe('Other');
  });
});

describe('the instances of a resource', () => {
  it('are its Machines by namespace and name, with their nodes and zones', () => {
    const machines = [
      machine('b', { spec: { failureDomain: 'us-east-1b' } }),
      machine('a', { namespace: 'other' }),
      machine('c', PENDING),
    ];
    const registered = new Map([
      ['default/b', [node('b-new'), node('b-old')]],
      ['other/a', [node('a', {}, { labels: { 'topology.kubernetes.io/zone': 'us-east-1a' } })]],
    ]);

    expect(instancesOf({ resource: scalable('MachineSet', 's'), machines }, registered)).toEqual([
      { id: 'default/b', node: 'b-new', zone: 'us-east-1b', state: 'Running', error: null },
      { id: 'default/c', node: null, zone: null, state: 'Creating', error: null },
      { id: 'other/a', node: 'a', zone: 'us-east-1a', state: 'Running', error: null },
    ]);
  });

  it('of a MachinePool are its provider IDs, except for those of its Machines', () => {
    const resource = scalable('MachinePool', 'p', {
      spec: { providerIDList: ['aws:///us-east-1a/i-m', 'aws:///us-east-1a/i-2', 'aws:///us-east-1a/i-2'] },
    });
    const registered = new Map([['aws:///us-east-1a/i-2', [node('n2')]]]);

    expect(instancesOf({ resource, machines: [machine('m')] }, registered)).toEqual([
      { id: 'aws:///us-east-1a/i-2', node: 'n2', zone: null, state: 'Running', error: null },
      { id: 'default/m', node: null, zone: null, state: 'Running', error: null },
    ]);
  });

  it('of a MachinePool with Machines are no provider IDs that have neither a Machine nor a node, as those that are gone', () => {
    const resource = scalable('MachinePool', 'p', { spec: { providerIDList: ['x://gone', 'x://1', 'x://2'] } });
    const registered = new Map([['x://1', [node('n1')]]]);
    const ids = (machines: Parameters<typeof instancesOf>[0]['machines']) =>
      instancesOf({ resource, machines }, registered).map(({ id }) => id);

    expect(ids([machine('m', { spec: { providerID: 'x://2' } })])).toEqual(['default/m', 'x://1']);
    expect(ids([])).toEqual(['x://1', 'x://2', 'x://gone']);
  });

  it('of a MachinePool that is being deleted are being deleted', () => {
    const resource = scalable('MachinePool', 'p', { deletedAt: DELETED, spec: { providerIDList: ['x://1'] } });

    expect(instancesOf({ resource, machines: [] }, NONE).map(({ state }) => state)).toEqual(['Deleting']);
  });
});
