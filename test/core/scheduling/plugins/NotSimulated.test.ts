import { expect, it } from 'vitest';
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
  const closedNodes = [{ node: nodeName('open'), reason: 'UnreadablePod', message: '' }] as const;
  const cluster = { nodes: [...nodes, node('other')], closedNodes };
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

it('names what was not simulated', () => {
  expect(verdicts(pod('p', { spec: { resourceClaims: ['gpu'] } }), { nodes })['open']?.reasons).toEqual([
    'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
  ]);
});
