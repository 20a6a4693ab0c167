import { expect, it } from 'vitest';
import { node, pod } from '../../../builders.ts';
import { reason } from '../fit.ts';

const taint = (key: string, value: string, effect: string) => ({ key, value, effect });
const tolerate = (key: string, operator: string, value: string, effect: string) => ({
  key,
  operator,
  value,
  effect,
  tolerationSeconds: null,
});
const NO = 'node(s) had untolerated taint(s)';

it.each([
  ['no taint', [], [], 'ok'],
  ['a taint', [taint('k', 'v', 'NoSchedule')], [], NO],
  ['a taint that evicts', [taint('k', 'v', 'NoExecute')], [], NO],
  ['a taint that only advises', [taint('k', 'v', 'PreferNoSchedule')], [], 'ok'],
  ['tolerated by value', [taint('k', 'v', 'NoSchedule')], [tolerate('k', 'Equal', 'v', 'NoSchedule')], 'ok'],
  ['an operator left out is Equal', [taint('k', 'v', 'NoSchedule')], [tolerate('k', '', 'v', '')], 'ok'],
  ['another value', [taint('k', 'v', 'NoSchedule')], [tolerate('k', '', 'w', '')], NO],
  ['any value', [taint('k', 'v', 'NoSchedule')], [tolerate('k', 'Exists', '', 'NoSchedule')], 'ok'],
  ['another key', [taint('k', 'v', 'NoSchedule')], [tolerate('l', 'Exists', '', '')], NO],
  ['another effect', [taint('k', 'v', 'NoSchedule')], [tolerate('k', 'Exists', '', 'NoExecute')], NO],
  ['everything', [taint('k', 'v', 'NoSchedule'), taint('l', '', 'NoExecute')], [tolerate('', 'Exists', '', '')], 'ok'],
  ['every key of one effect', [taint('k', 'v', 'NoExecute')], [tolerate('', 'Exists', '', 'NoExecute')], 'ok'],
  ['an unknown operator tolerates nothing', [taint('k', '5', 'NoSchedule')], [tolerate('k', 'Lt', '9', '')], NO],
  [
    'two taints, one tolerated',
    [taint('k', '', 'NoSchedule'), taint('l', '', 'NoSchedule')],
    [tolerate('k', '', '', '')],
    NO,
  ],
  [
    'two taints, each tolerated by another',
    [taint('k', '', 'NoSchedule'), taint('l', '', 'NoSchedule')],
    [tolerate('k', '', '', ''), tolerate('l', '', '', '')],
    'ok',
  ],
])('%s', (_, taints, tolerations, expected) => {
  expect(reason(pod('p', { spec: { tolerations } }), { nodes: [node('n', {}, { taints })] })).toBe(expected);
});
