import { expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { launchFailure, request } from '../../core/registry/given.ts';
import { pod, POD_SPEC } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { POOL_LABEL, SIZE_LABEL } from '../pools.ts';
import { failuresAnswered } from './failures-answered.ts';
import type { Stage } from './invariant.ts';

const labels = { [POOL_LABEL]: 'blue' };
const POOL = { name: 'blue', groups: [groupName('bad'), groupName('good')], units: 1 };
const SEEN = scenario({
  groups: [
    group('bad', { target: 1, labels, launchFailures: [launchFailure('bad', 0, 'OutOfResources')] }),
    group('good', { labels }),
  ],
  pods: [
    pod('p', { requests: { cpu: 1 }, labels: { [SIZE_LABEL]: '1' }, spec: { ...POD_SPEC, nodeSelector: labels } }),
  ],
  state: { scaleUpRequests: [request(1, epochMs(NOW + 600_000), 'bad')] },
});

const DECIDED = evaluate(SEEN);

test.each([
  { name: 'what is decided', change: (decision: Decision) => decision, found: 0 },
  {
    name: 'no waiting time',
    change: (decision: Decision) => ({ ...decision, state: { ...decision.state, backoff: {} } }),
    found: 1,
  },
  {
    name: 'no repair',
    change: (decision: Decision) => ({ ...decision, registry: { ...decision.registry, repairs: [] } }),
    found: 1,
  },
  {
    name: 'pods without hope',
    change: (decision: Decision): Decision => ({
      ...decision,
      scaleUp: {
        ...decision.scaleUp,
        increases: [],
        pods: decision.scaleUp.pods.map((one) => ({ ...one, outcome: 'Unschedulable' })),
      },
    }),
    found: 1,
  },
])('a failure, and $name: $found violations', ({ change, found }) => {
  const violations: string[] = [];
  const stage = { scenario: { pools: [POOL], groups: SEEN.nodeGroups, options: SEEN.options } } as unknown as Stage;
  failuresAnswered.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  ).decided!(SEEN, change(DECIDED));
  expect(violations).toHaveLength(found);
});

test('the pods that waited for the group are planned on the other one', () => {
  expect(DECIDED.scaleUp.increases).toEqual([{ group: 'good', from: 0, to: 1 }]);
});
