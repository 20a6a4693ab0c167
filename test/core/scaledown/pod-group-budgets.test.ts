import { expect, test } from 'vitest';
import type { PodGroup } from '../../../core/model/cluster/pod-group.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { createPdbTracker } from '../../../core/scaledown/pdb-tracker.ts';
import { withPodGroupBudgets } from '../../../core/scaledown/pod-group-budgets.ts';
import { pod, type PodOptions } from '../../builders.ts';
import { ago } from './given.ts';

const member = (name: string, options: PodOptions = {}): Pod =>
  pod(name, { node: 'n1', phase: 'Running', spec: { podGroup: 'train' }, ...options });

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => member(name)) as [Pod, Pod, Pod, Pod];

const budgets = (group: Partial<PodGroup>, pods: readonly Pod[] = [a, b, c, d], inProgress: readonly Pod[] = []) =>
  withPodGroupBudgets(
    createPdbTracker([]),
    [{ namespace: 'default', name: 'train', minCount: 3, disruptedTogether: false, notSimulated: null, ...group }],
    pods,
    inProgress,
  );

test('of a PodGroup as many pods may be evicted as run beyond minCount', () => {
  const standing = budgets({});
  expect(standing.canTake([a])).toEqual({ inParallel: true, blocked: null });
  const reason = 'PodGroup train needs 3 of its 4 running pods (spec.schedulingPolicy.gang.minCount)';
  expect(standing.canTake([a, b])).toEqual({ inParallel: false, blocked: { pod: b, reason } });
  const fork = standing.fork();
  fork.take([a]);
  expect(fork.allows(b)).toEqual({ ok: false, reason });
  expect(standing.allows(b)).toEqual({ ok: true });
});

test.each<[string, boolean, ReturnType<typeof budgets>]>([
  ['all of them are needed', false, budgets({ minCount: 4 })],
  ['the policy is basic', true, budgets({ minCount: 0 })],
  ['they can be disrupted all together only', false, budgets({ minCount: 0, disruptedTogether: true })],
  ['another one is on a node that is drained', false, budgets({}, [a, b, c, d], [b])],
  [
    'pods that wait, have ended or are being deleted do not run',
    false,
    budgets({}, [
      a,
      b,
      c,
      pod('e', { spec: { podGroup: 'train' } }),
      member('f', { phase: 'Succeeded' }),
      member('g', { deletedAt: ago(10) }),
    ]),
  ],
  ['the PodGroup is of another namespace', true, budgets({ namespace: 'other', minCount: 4 })],
])('where %s, the eviction of a pod is allowed: %s', (_, expected, standing) => {
  expect(standing.allows(a).ok).toBe(expected);
});

test('pods of no PodGroup are not restricted', () => {
  const web = pod('web', { node: 'n1', phase: 'Running' });
  expect(budgets({ minCount: 4 }).canTake([web]).blocked).toBeNull();
});
