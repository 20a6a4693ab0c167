import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import {
  notSafeToEvict,
  onCompletion,
  SAFE_TO_EVICT,
  safeToEvict,
} from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { asked, barePod, webPod } from '../given.ts';

const saying = (value: string): Pod => barePod({ annotations: { [SAFE_TO_EVICT]: value } });

describe('rule 5, safetoevict: "true" lets the pod go', () => {
  it.each<[string, Pod, string]>([
    ['"true"', saying('true'), 'DrainOk'],
    ['"true" in kube-system', { ...saying('true'), namespace: 'kube-system' }, 'DrainOk'],
    ['"True" is not a value', saying('True'), '-'],
    ['"false" is for rule 10', saying('false'), '-'],
    ['"on-completion" is for rule 7', saying('on-completion'), '-'],
    ['empty', saying(''), '-'],
    ['no annotation', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(safeToEvict, pod)).toBe(expected);
  });
});

const ofController = (value: string, owner = 'Job/once'): Pod =>
  barePod({ owner, annotations: { [SAFE_TO_EVICT]: value } });

describe('rule 7, oncompletion: the node waits for the end of the pod', () => {
  it.each<[string, Pod, string]>([
    ['"on-completion"', ofController('on-completion'), 'Wait'],
    ['without a controller', barePod({ annotations: { [SAFE_TO_EVICT]: 'on-completion' } }), 'Wait'],
    ['of a ReplicaSet, which never ends', ofController('on-completion', 'ReplicaSet/web'), 'Wait'],
    ['"OnCompletion" is not a value', ofController('OnCompletion'), '-'],
    ['"true" is for rule 5', ofController('true'), '-'],
    ['"false" is for rule 10', ofController('false'), '-'],
    ['no annotation', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(onCompletion, pod)).toBe(expected);
  });
});

const onWebPod = (value: string): Pod => webPod({ annotations: { [SAFE_TO_EVICT]: value } });

describe('rule 10, notsafetoevict: "false" keeps the pod', () => {
  it.each<[string, Pod, string]>([
    ['"false"', onWebPod('false'), 'Block NotSafeToEvictAnnotation'],
    [
      '"false", without a controller',
      barePod({ annotations: { [SAFE_TO_EVICT]: 'false' } }),
      'Block NotSafeToEvictAnnotation',
    ],
    ['"False" is not a value', onWebPod('False'), '-'],
    ['"true" is for rule 5', onWebPod('true'), '-'],
    ['"on-completion" is for rule 7', onWebPod('on-completion'), '-'],
    ['empty', onWebPod(''), '-'],
    ['no annotation', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(notSafeToEvict, pod)).toBe(expected);
  });
});
