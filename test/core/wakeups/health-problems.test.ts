import { describe, expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { longestDrain } from '../../../core/drain/limits.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { removalTaint } from '../../../core/model/cluster/removal-taints.ts';
import type { Drain, DrainPhase } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import type { HealthProblem } from '../../../core/model/health-problem.ts';
import { type EpochMs, epochMs } from '../../../core/model/values/time.ts';
import { healthProblemsOf } from '../../../core/wakeups/health-problems.ts';
import { pod } from '../../builders.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { group, NOW, scenario, type ScenarioGiven } from '../../scenario-builders.ts';
import { ago, workerNode } from '../scaledown/cluster.ts';

const LONGEST = longestDrain(defaultOptions());

function problems(given: ScenarioGiven, drains: readonly Drain[] = [], webhook = false): readonly HealthProblem[] {
  const cluster = scenario(given);
  const stored = drains.map((drain) => ({ drain, revision: 1, attempt: 1, drivenUntil: NOW }));
  return healthProblemsOf(cluster, evaluateScaleUp(cluster), stored, webhook);
}

describe('a node that is marked for removal', () => {
  const marked = (since: EpochMs): Node =>
    workerNode('n', { taints: [removalTaint({ nodeLifecycleTaints: false }, since)] });
  const draining = (createdAt: EpochMs, phase: DrainPhase = 'Evicting'): Drain => drainOf('n', { createdAt, phase });
  // The taint has its time in whole seconds.
  const [before, after] = [epochMs(NOW - LONGEST - 1_000), epochMs(NOW - LONGEST + 1_000)];

  test.each<[what: string, node: Node, drains: readonly Drain[], since: EpochMs | null]>([
    ['with a taint that no drain knows', marked(before), [], before],
    ['with a taint that may still be of a drain', marked(after), [], null],
    ['by a drain that takes too long', workerNode('n'), [draining(before)], before],
    ['by a drain that may still end', workerNode('n'), [draining(after)], null],
    ['by a drain that has ended', workerNode('n'), [draining(before, 'RolledBack')], null],
    ['with a taint that is older than its drain', marked(before), [draining(after)], before],
    ['with no taint and no drain', workerNode('n'), [], null],
  ])('%s is reported after the longest time of a drain', (_, node, drains, since) => {
    const nodes = [node, workerNode('other')];
    expect(problems({ nodes, groups: [group('web', { nodes: ['n', 'other'] })] }, drains)).toEqual(
      since === null ? [] : [{ kind: 'NodeTainted', since, node: 'n' }],
    );
  });
});

describe('pending pods', () => {
  const waiting = (name: string, since: EpochMs, cpu = 1) =>
    pod(name, { requests: { cpu }, unscheduled: { reason: 'Unschedulable', since } });

  test('for longer than ten minutes are reported where a node group could hold them, the longest first', () => {
    const pods = [waiting('long', ago(11)), waiting('longer', ago(12)), waiting('short', ago(10))];
    expect(problems({ groups: [group('web')], pods })).toEqual([
      { kind: 'LongPendingPods', since: ago(12), pod: 'default/longer', pods: 2 },
    ]);
  });

  test('and that no node group could hold are not reported', () => {
    expect(problems({ groups: [group('web')], pods: [waiting('large', ago(60), 64)] })).toEqual([]);
  });

  const cases: readonly (readonly [heard: EpochMs | undefined, webhook: boolean, silent: boolean])[] = [
    [undefined, true, true],
    [undefined, false, false],
    [ago(9), true, true],
    [ago(7), true, false],
  ];
  test.each(cases)(
    'for six minutes, with a last notification at %s and a webhook (%s), report a silent webhook: %s',
    (heard, ...rest) => {
      const [webhook, silent] = rest;
      const state = heard === undefined ? {} : { lastNotification: heard };
      expect(problems({ groups: [group('web')], pods: [waiting('p', ago(6))], state }, [], webhook)).toEqual(
        silent ? [{ kind: 'WebhookSilent', since: ago(6), pod: 'default/p' }] : [],
      );
    },
  );
});
