import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { defaultOptions, type OptionDefaults } from '../../../core/model/options.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { type Amounts, controller, pod } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';
import type { Decision } from '../../../core/model/decision.ts';

const daemonSet = (requests: Amounts): Controller =>
  controller('DaemonSet/agent', {
    namespace: 'kube-system',
    template: pod('daemonset-agent', { namespace: 'kube-system', requests }),
  });

const web = (count: number, cpu: string): readonly Pod[] =>
  times(count, (i) => pod(`web-${i}`, { owner: 'ReplicaSet/web', requests: { cpu, memory: '201Mi' } }));

const urgent = (name: string, cpu: string): Pod => pod(name, { requests: { cpu }, spec: { priority: 1_000 } });

const clusterOf = (cpu: string, pods: readonly Pod[], defaults: OptionDefaults): Scenario =>
  scenario({
    groups: [group('g', { node: { cpu: '3920m', memory: '15222Mi', pods: 58 }, max: 30 })],
    objects: { controllers: [daemonSet({ cpu })] },
    pods,
    options: defaultOptions(defaults),
  });

const later = (before: Scenario, { scaleUp, state }: Decision): Scenario => ({
  ...before,
  state,
  nodeGroups: before.nodeGroups.map((one) => ({
    ...one,
    targetSize: scaleUp.increases.find(({ group: name }) => name === one.name)?.to ?? one.targetSize,
  })),
});

const added = (given: Scenario): number =>
  evaluate(given).scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

describe.each<OptionDefaults>(['outrigger', 'cluster-autoscaler'])('with the defaults of %s', (defaults) => {
  it('a pod that preempts a large DaemonSet gets a node, and others that do not fit beside it get none', () => {
    const pods = web(10, '3');
    expect(added(clusterOf('3500m', pods, defaults))).toBe(0);
    const { scaleUp } = evaluate(clusterOf('3500m', [...pods, urgent('first', '533m')], defaults));
    expect(scaleUp.increases).toEqual([{ group: 'g', from: 0, to: 1 }]);
    expect(scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered').map(({ pod: key }) => key)).toEqual([
      'default/first',
    ]);
  });

  it('a pod that takes a whole node leaves the DaemonSet on the nodes of the others', () => {
    const pods = web(40, '980m');
    expect(added(clusterOf('100m', pods, defaults))).toBe(14);
    expect(added(clusterOf('100m', [...pods, urgent('first', '3850m')], defaults))).toBe(15);
  });

  it('several pods that preempt share a node as far as it holds them without the DaemonSet', () => {
    const pods = times(5, (i) => urgent(`first-${i}`, '1900m'));
    expect(added(clusterOf('2500m', pods, defaults))).toBe(3);
  });

  it('the next evaluations find the places again', () => {
    const pods = [...web(40, '980m'), urgent('first', '3850m'), ...times(3, (i) => urgent(`second-${i}`, '3900m'))];
    let given = clusterOf('100m', pods, defaults);
    for (let i = 0; i < 3; i++) {
      const decision = evaluate(given);
      expect(decision.scaleUp.increases.map(({ to }) => to)).toEqual(i === 0 ? [18] : []);
      given = later(given, decision);
    }
  });
});
