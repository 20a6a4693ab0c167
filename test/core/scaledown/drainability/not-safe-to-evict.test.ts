import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { notSafeToEvict } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { SAFE_TO_EVICT } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { asked, barePod, webPod } from '../given.ts';

const saying = (value: string): Pod => webPod({ annotations: { [SAFE_TO_EVICT]: value } });

describe('rule 10, notsafetoevict: "false" keeps the pod', () => {
  it.each<[string, Pod, string]>([
    ['"false"', saying('false'), 'Block NotSafeToEvictAnnotation'],
    [
      '"false", without a controller',
      barePod({ annotations: { [SAFE_TO_EVICT]: 'false' } }),
      'Block NotSafeToEvictAnnotation',
    ],
    ['"False" is not a value', saying('False'), '-'],
    ['"true" is for rule 5', saying('true'), '-'],
    ['"on-completion" is for rule 7', saying('on-completion'), '-'],
    ['empty', saying(''), '-'],
    ['no annotation', webPod(), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(notSafeToEvict, pod)).toBe(expected);
  });
});
