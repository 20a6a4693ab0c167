import { describe, expect, it } from 'vitest';
import { minutes } from '../../../../core/model/values/time.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { system } from '../../../../core/scaledown/drainability/system.ts';
import type { PodOptions } from '../../../builders.ts';
import { ago, asked, drainContext, type Given, webPod } from '../given.ts';
import { budget } from '../../../builders.ts';

const dns = (createdSecondsAgo: number | null, extra: PodOptions = {}): Pod =>
  webPod({ namespace: 'kube-system', createdAt: createdSecondsAgo === null ? null : ago(createdSecondsAgo), ...extra });
const covered = (extra = {}): Given => ({ budgets: [budget({ namespace: 'kube-system', ...extra })] });
const NOT_SAFE = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' };
const within = (limit: number): Given => ({ options: { blockingSystemPodDistruptionTimeout: minutes(limit) } });

describe('rule 9, system: pods of kube-system without a PodDisruptionBudget keep their node for an hour', () => {
  it.each<[string, Pod, Given, string]>([
    ['new', dns(60), {}, 'Block UnmovableKubeSystemPod'],
    ['nearly an hour old', dns(3_599), {}, 'Block UnmovableKubeSystemPod'],
    ['an hour old, to the moment', dns(3_600), {}, 'Block UnmovableKubeSystemPod'],
    ['older than an hour', dns(3_601), {}, 'DrainOk'],
    ['older, but not safe to evict, which is for rule 10', dns(3_601, { annotations: NOT_SAFE }), {}, '-'],
    ['older, with a budget, which is for rule 12', dns(3_601), covered(), '-'],
    ['of unknown age', dns(null), {}, 'Block UnmovableKubeSystemPod'],
    ['with a budget', dns(60), covered(), '-'],
    ['with a budget that allows nothing, which is for rule 12', dns(60), covered({ disruptionsAllowed: 0 }), '-'],
    ['with a budget in another namespace', dns(60), { budgets: [budget()] }, 'Block UnmovableKubeSystemPod'],
    ['with a budget for other pods', dns(60, { labels: { app: 'dns' } }), covered(), 'Block UnmovableKubeSystemPod'],
    ['with a budget without a selector', dns(60), covered({ selector: null }), 'Block UnmovableKubeSystemPod'],
    ['with a shorter time', dns(301), within(5), 'DrainOk'],
    ['with a longer time', dns(7_000), within(120), 'Block UnmovableKubeSystemPod'],
    ['without skipNodesWithSystemPods', dns(60), { options: { skipNodesWithSystemPods: false } }, '-'],
    ['in another namespace', webPod({ createdAt: ago(60) }), {}, '-'],
  ])('%s', (_, pod, given, expected) => {
    expect(asked(system, pod, given)).toBe(expected);
  });

  it('says until when', () => {
    expect(system.decide(dns(600), drainContext())).toMatchObject({
      message: expect.stringContaining('until 2026-01-01T12:50:00Z') as string,
    });
  });
});
