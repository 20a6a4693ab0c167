import { describe, expect, it } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import type { ScalableResource } from '../../../../providers/clusterapi/api/objects.ts';
import { keysOf } from '../../../../providers/clusterapi/api/resources.ts';
import {
  type Group,
  type GroupRules,
  groupNameOf,
  groupOf,
  resourceOfGroup,
} from '../../../../providers/clusterapi/groups/group.ts';
import { bounds, cluster, scalable } from '../builders.ts';

const RULES: GroupRules = { keys: keysOf('cluster.x-k8s.io'), discovery: [], machineDeployments: true };
const PAUSED = { 'cluster.x-k8s.io/paused': '' };

const group = (resource: ScalableResource, rules: Partial<GroupRules> = {}, its = cluster('c1')): Group | null =>
  groupOf({ resource, sets: [], machines: [] }, its, { ...RULES, ...rules });

describe('a resource', () => {
  it('with bounds is a node group', () => {
    expect(group(scalable('MachineSet', 'a', { annotations: bounds(1, 5) }))).toMatchObject({
      name: 'MachineSet/default/a',
      bounds: { min: 1, max: 5 },
      problem: null,
      paused: null,
    });
  });

  it('without bounds, or with a maximum of 0, is none', () => {
    expect(group(scalable('MachineSet', 'a', { annotations: {} }))).toBeNull();
    expect(group(scalable('MachineSet', 'a', { annotations: bounds(0, 0) }))).toBeNull();
  });

  it('that is not discovered is none', () => {
    const discovery = [{ namespace: 'other', clusterName: null, labels: {} }];

    expect(group(scalable('MachineSet', 'a'), { discovery })).toBeNull();
    expect(group(scalable('MachineSet', 'a', { namespace: 'other' }), { discovery })).not.toBeNull();
  });

  it('is none where it is a MachineDeployment and these are disabled', () => {
    expect(group(scalable('MachineDeployment', 'a'), { machineDeployments: false })).toBeNull();
    expect(group(scalable('MachineSet', 'a'), { machineDeployments: false })).not.toBeNull();
  });

  it('with bounds that cannot hold has a problem, and the bounds of its size', () => {
    const found = group(scalable('MachineSet', 'a', { annotations: bounds('x', 5), spec: { replicas: 3 } }));

    expect(found).toMatchObject({ bounds: { min: 3, max: 3 } });
    expect(found?.problem).toContain('node-group-min-size: expected an integer');
  });

  it('that is being deleted has a problem', () => {
    expect(group(scalable('MachineSet', 'a', { deletedAt: '2026-01-01T01:00:00Z' }))?.problem).toBe(
      'it is being deleted',
    );
  });

  it.each([
    [
      'itself',
      { ...bounds(0, 5), ...PAUSED },
      {},
      'MachineSet default/a is paused (annotation cluster.x-k8s.io/paused)',
    ],
    ['its Cluster', bounds(0, 5), { spec: { paused: true } }, 'Cluster default/c1 is paused'],
    ['its Cluster’s annotation', bounds(0, 5), { annotations: PAUSED }, 'Cluster default/c1 is paused'],
    ['nothing', bounds(0, 5), {}, null],
  ])('is paused by %s', (_by, annotations, of, paused) => {
    expect(group(scalable('MachineSet', 'a', { annotations }), {}, cluster('c1', of))?.paused).toBe(paused);
  });
});

describe('the name of a group', () => {
  it.each(['MachineDeployment', 'MachineSet', 'MachinePool'] as const)('of a %s leads back to it', (kind) => {
    const ref = { kind, namespace: 'team-a', name: 'web.1' };

    expect(groupNameOf(ref)).toBe(`${kind}/team-a/web.1`);
    expect(resourceOfGroup(groupNameOf(ref))).toEqual(ref);
  });

  it.each([
    'web',
    'MachineSet/web',
    'MachineSet//web',
    'MachineSet/a/',
    'MachineSet/a/b/c',
    'Machine/a/b',
    'toString/a/b',
  ])('%s is none of Cluster API', (name) => {
    expect(resourceOfGroup(groupName(name))).toBeNull();
  });
});
