import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import { node, pod } from '../../../builders.ts';
import { fit, verdicts } from '../fit.ts';

const nodes = [node('open'), node('cordoned', {}, { unschedulable: true })];

it.each([
  ['dynamic resource allocation', { resourceClaims: ['gpu'] }],
  ['a pod of a PodGroup that does not exist', { podGroup: 'train' }],
  ['a field of a newer Kubernetes', { unknownField: 'field 45' }],
])('%s is never a silent yes, and leaves the other plugins their say', (_, spec) => {
  expect(fit(pod('p', { spec }), { nodes })).toEqual({ open: 'NotSimulated', cordoned: 'NodeUnschedulable' });
});

it('a node that something unreadable is on has no room, whatever the pod', () => {
  const excludedNodes = [{ node: nodeName('open'), reason: 'UnreadablePod', message: '' }] as const;
  const cluster = { nodes: [...nodes, node('other')], excludedNodes };
  expect(fit(pod('p'), cluster)).toEqual({ open: 'NotSimulated', cordoned: 'NodeUnschedulable', other: 'ok' });
  expect(verdicts(pod('p'), cluster)['open']?.reasons).toEqual([
    'node(s) were not simulated: something on them cannot be read',
  ]);
});

it('a pod of a PodGroup fits as any other, unless the PodGroup asks for more than is simulated', () => {
  const member = pod('p', { spec: { podGroup: 'train' } });
  const train = { namespace: 'default', name: 'train', minCount: 3, disruptedTogether: false, notSimulated: null };
  expect(fit(member, { nodes, podGroups: [train] })).toEqual({ open: 'ok', cordoned: 'NodeUnschedulable' });
  const topology = { ...train, notSimulated: 'spec.schedulingConstraints' };
  expect(verdicts(member, { nodes, podGroups: [topology] })['open']?.reasons).toEqual([
    'node(s) were not simulated: spec.schedulingConstraints of PodGroup train',
  ]);
  const elsewhere = { ...train, namespace: 'other' };
  expect(verdicts(member, { nodes, podGroups: [elsewhere] })['open']?.reasons).toEqual([
    'node(s) were not simulated: PodGroup train does not exist, or cannot be read',
  ]);
});

it('names the field of a newer Kubernetes', () => {
  expect(verdicts(pod('p', { spec: { unknownField: 'field 45' } }), { nodes })['open']?.reasons).toEqual([
    'node(s) were not simulated: spec.field 45 is not a field that this version of Outrigger knows',
  ]);
});

describe('an extended resource of a DeviceClass', () => {
  const gpu = 'example.com/gpu';
  const deviceClasses = [{ name: 'gpus', extendedResourceName: gpu }];
  const hardware = [node('plugin', { cpu: 4, [gpu]: 1 }), node('devices', { cpu: 4 }), node('small', { cpu: 1 })];

  it('is not simulated on nodes that have it of no device plugin', () => {
    const wanting = pod('p', { requests: { cpu: 2, [gpu]: 1 } });
    expect(fit(wanting, { nodes: hardware, deviceClasses })).toEqual({
      plugin: 'ok',
      devices: 'NotSimulated',
      small: 'NodeResourcesFit',
    });
    expect(verdicts(wanting, { nodes: hardware, deviceClasses })['devices']?.reasons).toEqual([
      'node(s) were not simulated: example.com/gpu stands for devices of dynamic resource allocation (spec.extendedResourceName of a DeviceClass)',
    ]);
    expect(fit(wanting, { nodes: hardware })).toMatchObject({ plugin: 'ok', devices: 'NodeResourcesFit' });
  });

  it('is one by the name of the class, too', () => {
    const wanting = pod('p', { requests: { 'deviceclass.resource.kubernetes.io/gpus': 1 } });
    const unnamed = [{ name: 'gpus', extendedResourceName: null }];
    expect(fit(wanting, { nodes: hardware, deviceClasses: unnamed })).toMatchObject({ devices: 'NotSimulated' });
  });

  it('is refused where a device plugin has too few', () => {
    const greedy = pod('p', { requests: { [gpu]: 2 } });
    expect(fit(greedy, { nodes: hardware, deviceClasses })).toMatchObject({ plugin: 'NodeResourcesFit' });
  });
});

it('names what was not simulated', () => {
  expect(verdicts(pod('p', { spec: { resourceClaims: ['gpu'] } }), { nodes })['open']?.reasons).toEqual([
    'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
  ]);
});
