import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { SAFE_TO_EVICT, safeToEvict } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
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
