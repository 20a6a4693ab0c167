import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName } from '../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { ProviderName } from '../../../core/model/provider.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { createChooser } from '../../../core/scaleup/expanders/chooser.ts';
import { readScenario, writeScenario } from '../../../providers/scenario/scenario.ts';
import { node, pod } from '../../builders.ts';
import { context } from '../scaleup/expanders/chosen.ts';
import { option } from '../scaleup/expanders/option.ts';
import { group, type GroupGiven, scenario, times } from '../../scenario-builders.ts';

const of = (provider: ProviderName, name: string, given: GroupGiven = {}): NodeGroup => ({
  ...group(name, given),
  provider,
});
const raised = (input: Scenario): readonly string[] =>
  evaluate(input).scaleUp.increases.map(({ group: name, from, to }) => `${name} ${from}→${to}`);

describe('a scenario with groups of two providers', () => {
  const WORKER = { 'ibm-cloud.kubernetes.io/worker-id': 'w-1' };
  const pods = times(4, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));

  test('compares the labels of groups by the rules of their provider', () => {
    const pair = (provider: ProviderName): readonly NodeGroup[] => [
      of(provider, 'a', { labels: WORKER }),
      of(provider, 'b'),
    ];
    expect(raised(scenario({ groups: pair('clusterapi'), pods }))).toEqual(['a 0→2', 'b 0→2']);
    expect(raised(scenario({ groups: pair('aws'), pods }))).toHaveLength(1);
  });

  test('balances between groups of one provider alone, unless a label says that they are alike', () => {
    const groups = [group('a', { labels: { set: 'x' } }), of('clusterapi', 'b', { labels: { set: 'x' } })];
    expect(raised(scenario({ groups, pods }))).toHaveLength(1);
    expect(raised(scenario({ groups, pods, options: { balancingLabel: ['set'] } }))).toEqual(['a 0→2', 'b 0→2']);
  });

  test('takes nodes for those with GPUs by the label of the provider of their group', () => {
    const labels = { 'cluster-api/accelerator': 't4' };
    const unused = (provider: ProviderName): Scenario =>
      scenario({
        groups: [of(provider, 'g', { nodes: ['n'] })],
        nodes: [node('n', { cpu: 4, memory: '16Gi' }, { labels })],
        pods: [pod('busy', { node: 'n', requests: { cpu: 3 } })],
      });
    const reason = (provider: ProviderName) =>
      evaluate(unused(provider)).scaleDown.unremovable.map((one) => one.reason);
    // Without its GPUs the node is not ready yet, and what is used of its CPU does not count.
    expect(reason('aws')).toEqual(['NotUnderutilized']);
    expect(reason('clusterapi')).not.toContain('NotUnderutilized');
  });

  test('counts GPUs by the labels of all providers that it has groups of', () => {
    const gpus = (provider: ProviderName, label: string) =>
      of(provider, provider, { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 }, labels: { [label]: 't4' } });
    const both = [gpus('aws', 'k8s.amazonaws.com/accelerator'), gpus('clusterapi', 'cluster-api/accelerator')];
    const wanting = times(5, (i) => pod(`p-${i}`, { requests: { cpu: 3, 'nvidia.com/gpu': 1 } }));
    const limited = { gpuTotal: [{ type: 't4', min: 0, max: 3 }] };
    const total = evaluate(scenario({ groups: both, pods: wanting, options: limited }))
      .scaleUp.increases.map(({ from, to }) => to - from)
      .reduce((sum, more) => sum + more, 0);
    expect(total).toBe(3);
  });

  test('knows a node without an instance for deleted where the provider lists all instances at once', () => {
    const stray = (provider: ProviderName) =>
      evaluate(
        scenario({
          groups: [of(provider, 'g', { nodes: ['n'], instances: [], target: 1 })],
          nodes: [node('n', { cpu: 4, memory: '16Gi' })],
        }),
      ).registry.groups[groupName('g')]!;
    expect(stray('aws')).toMatchObject({ ready: 1, deleted: 0 });
    expect(stray('clusterapi')).toMatchObject({ ready: 0, deleted: 1 });
  });

  test('weighs prices with the GPU label of the provider of each group', () => {
    const { node: template, ...rest } = option('a', { price: 0.1 });
    const labelled = { ...rest, node: { ...template, labels: { 'cluster-api/accelerator': 't4' } } };
    const other = option('b', { price: 0.2 });
    const winner = (provider: ProviderName) =>
      createChooser(['price'], context()).choose(
        [{ ...labelled, group: { ...labelled.group, provider } }, other],
        () => 0,
      ).winner.group.name;
    expect(winner('aws')).toBe('a');
    expect(winner('clusterapi')).toBe('b');
  });

  test('is written with the provider of the groups that say one, and read again', () => {
    const input = scenario({ groups: [group('a'), of('clusterapi', 'b')] });
    const written = writeScenario(input) as { readonly nodeGroups: readonly object[] };
    expect(written.nodeGroups.map((one) => Object.entries(one).find(([key]) => key === 'provider'))).toEqual([
      undefined,
      ['provider', 'clusterapi'],
    ]);
    const read = readScenario(written);
    expect(read.ok && read.value.nodeGroups.map(({ provider }) => provider)).toEqual([undefined, 'clusterapi']);
  });
});
