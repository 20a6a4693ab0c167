import { expect, it } from 'vitest';
import { podKey } from '../../../core/model/values/names.ts';
import { whyNodeStays, whyNodeStaysInFull } from '../../../core/words/why-node-stays.ts';

it('why a node stays: its message, else the short text of the reason, with the pod', () => {
  expect(whyNodeStays({ reason: 'NotAutoscaled' })).toBe('in no node group');
  expect(whyNodeStays({ reason: 'NotUnderutilized', message: '60% of its cpu is requested' })).toBe(
    '60% of its cpu is requested',
  );
  expect(
    whyNodeStays({ reason: 'NoPlaceToMovePods', pod: podKey('default', 'web-1') }, (pod) => pod.split('/')[1]!),
  ).toBe('pod web-1: no place to move its pods');
});

it('with the reason of the pod that keeps a node, where a pod does', () => {
  const blocked = { reason: 'BlockedByPod', pod: podKey('default', 'web-1'), message: 'it has no controller' } as const;
  expect(whyNodeStaysInFull({ ...blocked, podReason: 'NotReplicated' })).toBe(
    'pod default/web-1: it has no controller (NotReplicated)',
  );
  expect(whyNodeStaysInFull(blocked)).toBe('pod default/web-1: it has no controller');
});
