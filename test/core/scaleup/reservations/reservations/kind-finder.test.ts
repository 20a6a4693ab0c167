import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../../core/evaluate.ts';
import type { Decision } from '../../../../../core/model/decision.ts';
import { HOSTNAME_LABEL } from '../../../../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm } from '../../../../../core/model/cluster/pod.ts';
import type { State } from '../../../../../core/model/state.ts';
import { affinityTerm, pod, type PodOptions, selector } from '../../../../builders.ts';
import { group, scenario, times } from '../../../../scenario-builders.ts';

const increases = ({ scaleUp }: Decision): Readonly<Record<string, number>> =>
  Object.fromEntries(scaleUp.increases.map(({ group: name, from, to }) => [name, to - from]));

/** Keeps apart from pods with this label. */
const apartFrom = (key: string, value: string): PodAffinityTerm =>
  affinityTerm(HOSTNAME_LABEL, selector({ [key]: value }));

const LABELS = { app: 'web', tier: 'front' };

/**
 * Two pods of 4 cpu for which the one node of group `a` was bought, of 8; then a pod of 5 for which one of group `z` was,
 * of 5. Given out anew, the larger pod would take the larger node, and one of the others would be left over.
 */
function bought(of: PodOptions): { readonly pods: readonly Pod[]; readonly state: State } {
  const fours = times(2, (i) => pod(`four-${i}`, { requests: { cpu: 4 }, owner: 'ReplicaSet/four', ...of }));
  const five = pod('five', { requests: { cpu: 5 }, owner: 'ReplicaSet/five', ...of });
  const a = (target: number) => group('a', { node: { cpu: 8, memory: '16Gi' }, max: 1, target });
  const first = evaluate(scenario({ groups: [a(0)], pods: fours }));
  const z = group('z', { node: { cpu: 5, memory: '16Gi' } });
  const second = evaluate(scenario({ groups: [a(1), z], pods: [...fours, five], state: first.state }));
  expect([increases(first), increases(second)]).toEqual([{ a: 1 }, { z: 1 }]);
  return { pods: [...fours, five], state: second.state };
}

const next = (pods: readonly Pod[], state: State): Decision =>
  evaluate(
    scenario({
      groups: [
        group('a', { node: { cpu: 8, memory: '16Gi' }, max: 1, target: 1 }),
        group('z', { node: { cpu: 5, memory: '16Gi' }, target: 1 }),
      ],
      pods,
      state,
    }),
  );

describe('reserved places', () => {
  test.each([
    ['no pod had named before', { labels: LABELS }, apartFrom('security', 'strict')],
    ['the pods have, too', { labels: LABELS }, apartFrom('tier', 'back')],
    ['distinguishes pods of one workload', { labels: LABELS }, apartFrom('index', '1'), true],
  ])('are kept when a workload comes that selects by a label that %s', (_, of, term, relabelled = false) => {
    const { pods, state } = bought(of);
    const told = relabelled ? pods.map((one, i) => ({ ...one, labels: { ...one.labels, index: String(i) } })) : pods;
    const newcomer = pod('new', { requests: { cpu: 5 }, owner: 'ReplicaSet/new', spec: { podAntiAffinity: [term] } });
    const decision = next([...told, newcomer], state);
    expect(increases(decision)).toEqual({ z: 1 });
    // And for good: the workload goes again.
    const grown = scenario({
      groups: [
        group('a', { node: { cpu: 8, memory: '16Gi' }, max: 1, target: 1 }),
        group('z', { node: { cpu: 5, memory: '16Gi' }, target: 2 }),
      ],
      pods: told,
      state: decision.state,
    });
    expect(increases(evaluate(grown))).toEqual({});
  });
});
