import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision, PodReason, SkipReason } from '../../../core/model/decision.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { Backoff, Shortage } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { backoffSince, group, NOW, scenario } from '../../scenario-builders.ts';
import { clusterArb, clusterOf } from '../scaleup/clusters.ts';
import { cases } from '../../cases.ts';

/** In the order in which the first one counts. */
const TROUBLES = ['invalid', 'unhealthy', 'backed off', 'sold out', 'full', 'without a template'] as const;
type Trouble = (typeof TROUBLES)[number];

const REASONS: Readonly<Record<Trouble, SkipReason>> = {
  invalid: 'Invalid',
  unhealthy: 'Unhealthy',
  'backed off': 'BackedOff',
  'sold out': 'BackedOff',
  full: 'MaxSizeReached',
  'without a template': 'NoTemplate',
};

const BACKOFF: Backoff = backoffSince(epochMs(NOW - minutes(1)));
const SOLD_OUT: Omit<Shortage, 'until'> = { type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' };

/** A large, cheap and empty group that every expander would choose, were it not for its troubles. */
const troubled = (name: string, troubles: ReadonlySet<Trouble>): NodeGroup => ({
  ...group(name, {
    node: { cpu: 16, memory: '64Gi' },
    zone: SOLD_OUT.zone,
    labels: {
      [INSTANCE_TYPE_LABEL]: troubles.has('sold out') ? SOLD_OUT.type : 'm5.xlarge',
      'eks.amazonaws.com/capacityType': 'SPOT',
    },
    max: troubles.has('full') ? 0 : 20,
    target: troubles.has('unhealthy') ? 9 : 0,
    ...(troubles.has('without a template') ? { template: null } : {}),
    ...(troubles.has('invalid') ? { invalid: 'tag x: expected y' } : {}),
  }),
  price: 0.01,
});

/** The cluster with additional groups, whose names sort before, among and after the existing ones. */
function withTroubles(cluster: Scenario, all: readonly ReadonlySet<Trouble>[]): Scenario {
  const groups = all.map((troubles, i) => troubled(`${['a', 'g1', 'z'][i % 3]}-bad-${i}`, troubles));
  const backoff = groups.flatMap(({ name }, i) => (all[i]!.has('backed off') ? [[name, BACKOFF] as const] : []));
  return {
    ...cluster,
    nodeGroups: [...cluster.nodeGroups, ...groups],
    state: {
      ...cluster.state,
      backoff: Object.fromEntries(backoff),
      shortages: [{ ...SOLD_OUT, until: addTime(NOW, minutes(2)) }],
    },
  };
}

/** A group without a template has no shape that could be sold out. */
const firstOf = (troubles: ReadonlySet<Trouble>): Trouble =>
  TROUBLES.find((trouble) => troubles.has(trouble) && (trouble !== 'sold out' || !troubles.has('without a template')))!;

const NO_LIMITS = { maxNodesTotal: 0, cores: 320_000, memory: 6_400_000 } as const;

const results = ({ scaleUp }: Decision) => ({
  result: scaleUp.result,
  increases: scaleUp.increases,
  pods: scaleUp.pods.map(({ pod: key, outcome, group: home }) => ({ key, outcome, home })),
});

const reasonsOfWaiting = ({ scaleUp }: Decision): readonly (readonly PodReason[])[] =>
  scaleUp.pods.flatMap(({ outcome, reasons = [] }) =>
    outcome === 'Unschedulable' || outcome === 'Awaiting' ? [reasons] : [],
  );

describe('groups in trouble', () => {
  test('stop no other group, whatever troubles they have, and each says its first', () => {
    let grown = 0;
    const troubleArb = fc.uniqueArray(fc.constantFrom(...TROUBLES), { minLength: 1 }).map((all) => new Set(all));
    fc.assert(
      fc.property(clusterArb, fc.array(troubleArb, { minLength: 1, maxLength: 7 }), (given, troubles) => {
        const groups = given.groups.map((of) => ({ ...of, there: 0, coming: 0, price: 0.3 as const }));
        const alone = clusterOf({
          ...given,
          groups,
          lone: 0,
          // Instances that a requested size still lacks may come, and have their part of the limits.
          ...(troubles.some((of) => of.has('unhealthy')) && NO_LIMITS),
        });
        const together = withTroubles(alone, troubles);
        const decision = evaluate(together);
        const expected = evaluate({ ...alone, state: { ...together.state, backoff: {} } });
        expect(results(decision)).toEqual(results(expected));
        grown += decision.scaleUp.increases.length;
        const bad = together.nodeGroups.slice(alone.nodeGroups.length);
        const skipped = new Map(decision.scaleUp.skippedGroups.map(({ group: name, reason }) => [name, reason]));
        expect(bad.map(({ name }) => skipped.get(name))).toEqual(troubles.map((of) => REASONS[firstOf(of)]));
        const names = together.nodeGroups.map(({ name }) => name).toSorted();
        for (const reasons of reasonsOfWaiting(decision)) {
          expect(reasons.map(({ group: name }) => name!).toSorted()).toEqual(names);
          expect(reasons.filter(({ reason }) => reason === '')).toEqual([]);
        }
      }),
      { numRuns: cases(75) },
    );
    expect(grown).toBeGreaterThan(cases(35));
  });

  test('tell pods what the cloud has run out of, though they have not failed themselves', () => {
    const cluster = scenario({ pods: [pod('p', { requests: { cpu: 1 } })] });
    const { scaleUp } = evaluate(withTroubles(cluster, [new Set(['sold out']), new Set(['backed off'])]));
    expect(scaleUp.skippedGroups).toEqual([
      {
        group: 'a-bad-0',
        reason: 'BackedOff',
        class: 'OutOfResources',
        until: addTime(NOW, minutes(2)),
        message: 'no spot capacity for m5.large in us-east-1a',
      },
      { group: 'g1-bad-1', reason: 'BackedOff', class: 'Quota', until: addTime(NOW, minutes(4)) },
    ]);
    expect(scaleUp.pods).toMatchObject([
      {
        outcome: 'Unschedulable',
        reasons: [
          { group: 'a-bad-0', reason: 'no spot capacity for m5.large in us-east-1a, until 2026-01-01T12:02:00Z' },
          { group: 'g1-bad-1', reason: 'in backoff after failed scale-up: Quota, until 2026-01-01T12:04:00Z' },
        ],
      },
    ]);
  });
});

describe('where nothing can be bought', () => {
  const lone = [pod('p', { requests: { cpu: 1 } })];

  test('a pod says so in a cluster without node groups', () => {
    expect(evaluate(scenario({ pods: lone })).scaleUp).toMatchObject({
      result: 'NoOptions',
      pods: [{ outcome: 'Unschedulable', reasons: [{ reason: 'there is no node group' }] }],
    });
  });

  test('there is no plan that costs something', () => {
    for (const groups of [[], [group('full', { max: 0 })]]) {
      const { scaleUp } = evaluate(scenario({ groups, pods: lone }));
      expect(scaleUp).toMatchObject({ result: 'NoOptions', plan: null });
    }
  });
});
