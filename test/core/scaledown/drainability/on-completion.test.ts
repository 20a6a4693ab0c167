import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { onCompletion } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { SAFE_TO_EVICT } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { asked, barePod, webPod } from '../given.ts';

const saying = (value: string, owner = 'Job/once'): Pod => barePod({ owner, annotations: { [SAFE_TO_EVICT]: value } });

describe('rule 7, oncompletion: the node waits for the end of the pod', () => {
  it.each<[string, Pod, string]>([
    ['"on-completion"', saying('on-completion'), 'Wait'],
    ['without a controller', barePod({ annotations: { [SAFE_TO_EVICT]: 'on-completion' } }), 'Wait'],
    ['of a ReplicaSet, which never ends', saying('on-completion', 'ReplicaSet/web'), 'Wait'],
    ['"OnCompletion" is not a value', saying('OnCompletion'), '-'],
    ['"true" is for rule 5', saying('true'), '-'],
    ['"false" is for rule 10', saying('false'), '-'],
    ['no annotation', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(onCompletion, pod)).toBe(expected);
  });
});
