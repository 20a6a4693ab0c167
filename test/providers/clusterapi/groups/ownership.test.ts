import { describe, expect, it } from 'vitest';
import type { Machine, ScalableResource } from '../../../../providers/clusterapi/api/objects.ts';
import { ownedResources } from '../../../../providers/clusterapi/groups/ownership.ts';
import { machine, scalable } from '../builders.ts';

/** `RESOURCE: SETS; MACHINES` of each resource that is no part of another. */
const shown = (resources: readonly ScalableResource[], machines: readonly Machine[] = []): readonly string[] =>
  ownedResources(resources, machines).map(
    (owned) => `${owned.resource.kind}/${owned.resource.name}: ${namesOf(owned.sets)}; ${namesOf(owned.machines)}`,
  );

const namesOf = (objects: readonly { readonly name: string }[]): string => objects.map(({ name }) => name).join(' ');

const set = (name: string, owner?: string): ScalableResource =>
  scalable('MachineSet', name, owner === undefined ? {} : { owner });
const deployment = scalable('MachineDeployment', 'd');

describe('ownership', () => {
  it.each<[string, readonly ScalableResource[], readonly Machine[], readonly string[]]>([
    [
      'a MachineSet of a MachineDeployment is part of it, with its Machines',
      [deployment, set('s', 'MachineDeployment/d')],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineDeployment/d: s; m'],
    ],
    [
      'so are several MachineSets of one, in a rollout',
      [deployment, set('old', 'MachineDeployment/d'), set('new', 'MachineDeployment/d')],
      [machine('m1', { owner: 'MachineSet/old' }), machine('m2', { owner: 'MachineSet/new' })],
      ['MachineDeployment/d: old new; m1 m2'],
    ],
    [
      'whatever the order of the list',
      [set('s', 'MachineDeployment/d'), deployment],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineDeployment/d: s; m'],
    ],
    [
      'a MachineSet without an owner stands for itself',
      [set('s')],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineSet/s: ; m'],
    ],
    [
      'a MachineSet of another owner stands for itself',
      [set('s', 'NodePool/p')],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineSet/s: ; m'],
    ],
    [
      'a Machine of a MachinePool is its',
      [scalable('MachinePool', 'p')],
      [machine('m', { owner: 'MachinePool/p' })],
      ['MachinePool/p: ; m'],
    ],
    ['a Machine without an owner has none', [set('s')], [machine('m')], ['MachineSet/s: ; ']],
    [
      'a Machine of a control plane has none',
      [set('s')],
      [machine('m', { owner: 'KubeadmControlPlane/s' })],
      ['MachineSet/s: ; '],
    ],
    [
      'a Machine whose MachineSet is gone has none',
      [set('s')],
      [machine('m', { owner: 'MachineSet/gone' })],
      ['MachineSet/s: ; '],
    ],
    [
      'a Machine of a former MachineSet of the same name has none',
      [scalable('MachineSet', 's', { uid: 'new' })],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineSet/s: ; '],
    ],
    [
      'a Machine of a MachineSet of the same name in another namespace has none',
      [scalable('MachineSet', 's', { namespace: 'other' })],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineSet/s: ; '],
    ],
    [
      'a MachineSet whose MachineDeployment is gone is no group, nor where MachineDeployments are disabled',
      [set('s', 'MachineDeployment/d')],
      [machine('m', { owner: 'MachineSet/s' })],
      [],
    ],
    [
      'a MachineSet of a former MachineDeployment of the same name is no part of the new one',
      [scalable('MachineDeployment', 'd', { uid: 'new' }), set('s', 'MachineDeployment/d')],
      [machine('m', { owner: 'MachineSet/s' })],
      ['MachineDeployment/d: ; '],
    ],
  ])('%s', (_case, resources, machines, expected) => {
    expect(shown(resources, machines)).toEqual(expected);
  });
});
