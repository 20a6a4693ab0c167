import { expect, it } from 'vitest';
import type { Toleration } from '../../../../core/model/cluster/pod.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { toleratesDisruption } from '../../../../core/scaledown/drainability/tolerates-disruption.ts';
import { pod } from '../../../builders.ts';

const KEY = 'node-lifecycle.kubernetes.io/disruption';

const tolerant = (toleration: Partial<Toleration>) =>
  pod('p', {
    spec: {
      tolerations: [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null, ...toleration }],
    },
  });

it.each([
  [{}, true],
  [{ key: KEY }, true],
  [{ key: KEY, operator: 'Equal', value: 'disrupting' }, true],
  [{ key: KEY, operator: 'Equal', value: 'candidate' }, false],
  [{ key: KEY, effect: 'NoExecute' }, false],
  [{ key: 'other' }, false],
] as const)('a pod with the toleration %j stays to the end where the shared taint is used: %j', (toleration, stays) => {
  expect(toleratesDisruption(tolerant(toleration), { ...defaultOptions(), nodeLifecycleTaints: true })).toBe(stays);
  expect(toleratesDisruption(tolerant(toleration), defaultOptions())).toBe(false);
});
