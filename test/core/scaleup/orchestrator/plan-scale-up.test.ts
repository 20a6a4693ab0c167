import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision, PodOutcomeKind } from '../../../../core/model/decision.ts';
import type { Options } from '../../../../core/model/options.ts';
import { durationMs, minutes } from '../../../../core/model/values/time.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';
import { clusterArb, clusterOf } from '../clusters.ts';

/** A hundred readings of the clock. */
const SHORT = durationMs(1);
const NO_LIMIT = durationMs(0);

/** Each of the pods takes a node of its own, for one or two readings of the clock. */
const decided = (options: Partial<Options>, groups = 1): Decision =>
  evaluate(
    scenario({
      groups: times(groups, (i) => group(`g${i}`, { max: 400, labels: { pool: `p${i}` } })),
      pods: times(300, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
      options,
    }),
  );

const count = ({ scaleUp }: Decision, outcome: PodOutcomeKind): number =>
  scaleUp.pods.filter((of) => of.outcome === outcome).length;

const bought = ({ scaleUp }: Decision): readonly number[] =>
  scaleUp.considered.map(({ split }) => split.reduce((sum, { from, to }) => sum + to - from, 0));

// Source: Cluster Autoscaler's estimator/threshold_based_limiter.go and its orchestrator's BinpackingLimiter; counted here.
describe('how long is simulated', () => {
  test('is limited for one node group: no more nodes are added, and another decision goes on', () => {
    const decision = decided({ maxNodegroupBinpackingDuration: SHORT });
    expect(bought(decision).length).toBeGreaterThan(2);
    expect(Math.max(...bought(decision))).toBeLessThanOrEqual(100);
    expect(count(decision, 'Triggered')).toBe(300);
  });

  test('lets the rest wait for the next evaluation when there is one decision only', () => {
    const decision = decided({ maxNodegroupBinpackingDuration: SHORT, salvoScaleUp: false });
    const [nodes] = bought(decision);
    expect(nodes).toBeGreaterThan(0);
    expect(count(decision, 'Triggered')).toBe(nodes);
    expect(decision.scaleUp.pods.find(({ outcome }) => outcome === 'Awaiting')).toMatchObject({
      reasons: [{ group: 'g0', reason: 'waits for a later decision' }],
    });
  });

  test('is limited for one decision: node groups that are left are not evaluated', () => {
    const all = decided({}, 5);
    expect(all.scaleUp.considered[0]!.options).toHaveLength(5);
    const few = decided({ maxBinpackingTime: SHORT }, 5);
    expect(few.scaleUp.considered[0]!.options).toHaveLength(1);
    const seen = few.scaleUp.considered.flatMap(({ options }) => options.map(({ group: name }) => name));
    expect(few.scaleUp.skippedGroups).toEqual(
      times(5, (i) => `g${i}`)
        .filter((name) => !seen.some((other) => other === name))
        .map((name) => ({ group: name, reason: 'NotSimulated', message: 'maxBinpackingTime was used up' })),
    );
    expect(few.scaleUp.skippedGroups).not.toEqual([]);
    expect(all.scaleUp.skippedGroups).toEqual([]);
    expect(count(few, 'Triggered')).toBe(300);
  });

  test('is limited for all decisions of an evaluation', () => {
    const decision = decided({ maxNodegroupBinpackingDuration: SHORT, salvoScaleUpBudget: SHORT });
    expect(bought(decision)).toHaveLength(1);
    expect(count(decision, 'Awaiting')).toBe(300 - bought(decision)[0]!);
  });

  test.each([
    ['by default it is enough', {}],
    [
      '0 is no limit',
      { maxNodegroupBinpackingDuration: NO_LIMIT, maxBinpackingTime: NO_LIMIT, salvoScaleUpBudget: NO_LIMIT },
    ],
    ['one decision is enough where nothing is left', { maxBinpackingTime: minutes(1) }],
  ])('%s', (_, options) => {
    expect(bought(decided(options))).toEqual([300]);
  });

  test('never keeps an evaluation from helping at least one pod', () => {
    let short = 0;
    fc.assert(
      fc.property(clusterArb, (given) => {
        const usual = evaluate(clusterOf(given));
        const hurried = evaluate(
          clusterOf(given, {
            maxNodegroupBinpackingDuration: SHORT,
            maxBinpackingTime: SHORT,
            salvoScaleUpBudget: SHORT,
          }),
        );
        expect(hurried.scaleUp.result).toBe(usual.scaleUp.result);
        short += Number(JSON.stringify(hurried.scaleUp.increases) !== JSON.stringify(usual.scaleUp.increases));
      }),
      { numRuns: 200 },
    );
    expect(short).toBeGreaterThan(0);
  });
});
