import { expect, test } from 'vitest';
import type { PodSpec } from '../../../../core/model/cluster/pod.ts';
import { taintTolerationScore } from '../../../../simulation/cluster/scoring/TaintToleration.ts';
import { node, pod } from '../../../builders.ts';
import { scoresOf } from './scores.ts';

test('TaintToleration: the fewer taints that only advise against it, the better', () => {
  const advised = (name: string, ...keys: readonly string[]) =>
    node(name, {}, { taints: keys.map((key) => ({ key, value: '', effect: 'PreferNoSchedule' })) });
  const tolerant: Partial<PodSpec> = {
    tolerations: [{ key: 'x', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }],
  };
  const nodes = [advised('none'), advised('one', 'y'), advised('two', 'y', 'z'), advised('borne', 'x')];
  expect(scoresOf(taintTolerationScore, pod('p', { spec: tolerant }), nodes)).toEqual({
    none: 100,
    one: 50,
    two: 0,
    borne: 100,
  });
});
