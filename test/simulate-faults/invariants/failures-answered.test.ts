import { expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { launchFailure, request } from '../../core/registry/given.ts';
import { node, pod, POD_SPEC } from '../../builders.ts';
import { group, NOW, scenario, times, zoneLabels } from '../../scenario-builders.ts';
import { type Pool, POOL_LABEL, SIZE_LABEL, SKEW_LABEL } from '../pools.ts';
import { ZONES } from '../zones.ts';
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

const found = (seen: Scenario, decision: Decision, pool: Pool = POOL): number => {
  const violations: string[] = [];
  const stage = {
    scenario: {
      pools: [pool],
      groups: SEEN.nodeGroups,
      options: seen.options,
      start: epochMs(NOW - (NOW % minutes(24 * 60))),
    },
  } as unknown as Stage;
  failuresAnswered.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  ).decided!(seen, decision);
  return violations.length;
};

const withoutHope = (decision: Decision): Decision => ({
  ...decision,
  scaleUp: {
    ...decision.scaleUp,
    increases: [],
    pods: decision.scaleUp.pods.map((one) => ({ ...one, outcome: 'Unschedulable' })),
  },
});

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
  { name: 'pods without hope', change: withoutHope, found: 1 },
])('a failure, and $name: $found violations', ({ change, found: violations }) => {
  expect(found(SEEN, change(DECIDED))).toBe(violations);
});

test.each([
  { there: 0, violations: 1 },
  { there: 1, violations: 1 },
  { there: 2, violations: 0 },
])('where pods ask for more zones than there are, and $there run: $violations', ({ there, violations }) => {
  const spread = times(there, (i) => pod(`there-${i}`, { node: 'n', labels: { [SKEW_LABEL]: 'blue' } }));
  const objects = {
    ...SEEN.objects,
    nodes: [node('n', { cpu: 1 }, { labels: { ...labels, ...zoneLabels(ZONES[0]) } })],
    pods: [...SEEN.objects.pods, ...spread],
  };
  const pool = { ...POOL, skew: { maxSkew: 2, minDomains: 2 } };
  expect(found({ ...SEEN, objects }, withoutHope(DECIDED), pool)).toBe(violations);
});

test('the pods that waited for the group are planned on the other one', () => {
  expect(DECIDED.scaleUp.increases).toEqual([{ group: 'good', from: 0, to: 1 }]);
});

test.each([
  { maxSize: 1, violations: 0 },
  { maxSize: 0, violations: 1 },
])('a launch that a schedule asks for, with a maximum that is $maxSize by now: $violations', (one) => {
  const schedule = { cron: '0 0 * * *', duration: minutes(24 * 60), timeZone: 'UTC' };
  const options = { ...SEEN.options, capacitySchedules: [{ least: { nodes: 2 }, schedule }] };
  const seen = {
    ...SEEN,
    options,
    nodeGroups: SEEN.nodeGroups.map((was) => (was.name === 'bad' ? { ...was, maxSize: one.maxSize } : was)),
  };
  expect(found(seen, { ...DECIDED, registry: { ...DECIDED.registry, repairs: [] } })).toBe(one.violations);
});
