import { describe, expect, it } from 'vitest';
import { optionsOver, readWrittenOptions, writeGivenOptions } from '../../config/options.ts';
import { CLUSTER_OPTIONS, defaultOptions, GROUP_OPTIONS } from '../../core/model/options.ts';
import { explainInvalid, type Invalid } from '../../providers/manifest/invalid.ts';

function read(options: object) {
  const problems: Invalid[] = [];
  const { values, warnings } = readWrittenOptions(options, 'options', problems);
  return { values, warnings: warnings.map(({ text }) => text), problems: problems.map(explainInvalid) };
}

describe('options as users of Cluster Autoscaler write them', () => {
  it.each([
    [{ maxNodesTotal: 3 }, { maxNodesTotal: 3 }],
    [{ 'max-nodes-total': 3 }, { maxNodesTotal: 3 }],
    [{ 'max-nodes-total': '3' }, { maxNodesTotal: 3 }],
    [{ 'skip-nodes-with-local-storage': 'false' }, { skipNodesWithLocalStorage: false }],
    [{ 'scale-down-utilization-threshold': '0.65' }, { scaleDownUtilizationThreshold: 0.65 }],
    [{ 'expendable-pods-priority-cutoff': '-100' }, { expendablePodsPriorityCutoff: -100 }],
    [{ 'ignore-daemonsets-utilization': true }, { ignoreDaemonSetsUtilization: true }],
    [{ 'ignore-taint': 'a' }, { startupTaint: ['a'] }],
    [{ 'max-empty-bulk-delete': '20' }, { maxScaleDownParallelism: 20 }],
    [{ expander: 'priority,least-waste' }, { expander: ['priority', 'least-waste'] }],
    [{ 'balancing-ignore-label': ['a', 'b'] }, { balancingIgnoreLabel: ['a', 'b'] }],
    [{ 'blocking-system-pod-distruption-timeout': '1h' }, { blockingSystemPodDistruptionTimeout: 3_600_000 }],
    [{ maxNodesTotal: null }, {}],
    [{ 'enable-provisioning-requests': true }, { provisioningRequests: true }],
    [
      { 'write-status-configmap': 'false', 'status-config-map-name': 'status.v1' },
      { writeStatusConfigmap: false, statusConfigMapName: 'status.v1' },
    ],
  ])('%j', (given, values) => {
    expect(read(given)).toEqual({ values, warnings: [], problems: [] });
  });

  it.each([
    [{ 'leader-elect': false }, 'has no effect. There are no replicas'],
    [{ scanInterval: '10s' }, 'has no effect. Evaluations follow events.'],
    [{ v: 4 }, 'has no effect. Logs are JSON'],
    [{ packingImprovementRatio: 1.1 }, 'has no effect any more. Plans are made by first-fit-decreasing'],
    [{ 'packing-improvement-budget': '150000' }, 'has no effect any more. Plans are made by'],
    [{ 'cloud-provider': 'aws' }, 'has no effect. Node groups are Auto Scaling groups'],
    [{ 'enable-dynamic-resource-allocation': 'false' }, 'has no effect. Dynamic resource'],
  ])('%j is accepted with a warning', (given, warning) => {
    expect(read(given)).toEqual({ values: {}, warnings: [expect.stringContaining(warning)], problems: [] });
  });

  it.each([
    [{ 'cloud-provider': 'gce' }, 'options.cloud-provider: expected "aws" or no such option (Node groups are Auto'],
    [{ 'enable-dynamic-resource-allocation': true }, 'expected "false" or no such option (Dynamic resource'],
    [{ address: ':8085' }, 'expected no such option (The stack has no endpoint to scrape'],
    [{ 'frequent-loops-enabled': false }, 'expected "true" or no such option (Events cause evaluations'],
    [{ nodes: '1:10:a' }, 'expected discovery.nodes of the cluster in place of this option'],
    [{ 'max-node-total': 1 }, 'expected a known option (did you mean maxNodesTotal?)'],
    [{ scanIntervall: 1 }, 'did you mean scanInterval?'],
    [{ maxNodesTotal: 1, 'max-nodes-total': 1 }, 'each option once (maxNodesTotal is the same one)'],
    [{ 'max-nodes-total': 'three' }, 'options.max-nodes-total: expected an integer of at least 0, found "three"'],
    [{ 'scale-down-enabled': 'yes' }, 'options.scale-down-enabled: expected true or false, found "yes"'],
    [{ expander: 'grpc' }, 'options.expander: expected one of'],
    [{ 'status-config-map-name': '../x' }, 'expected the name of an object such as cluster-autoscaler-status'],
  ])('%j is refused', (given, complaint) => {
    expect(read(given)).toMatchObject({ warnings: [], problems: [expect.stringContaining(complaint)] });
  });

  it('what is wrong is left out', () => {
    expect(read({ 'max-nodes-total': 'three', expander: 'grpc', minReplicaCount: 1 }).values).toEqual({
      minReplicaCount: 1,
    });
  });

  it('that are no object are refused', () => {
    expect(read([1] as never).problems).toEqual(['options: expected an object, found a list']);
  });
});

describe('with Cluster Autoscaler’s defaults', () => {
  it('every option that differs is written, but for those that are given', () => {
    const over = optionsOver('cluster-autoscaler', { maxDrainParallelism: 3, maxNodesTotal: 10 });
    expect({ ...defaultOptions('outrigger'), ...over }).toEqual({
      ...defaultOptions('cluster-autoscaler'),
      maxDrainParallelism: 3,
      maxNodesTotal: 10,
    });
    expect(read(writeGivenOptions(over))).toEqual({ values: over, warnings: [], problems: [] });
  });

  it('and with Outrigger’s nothing is added', () => {
    expect(optionsOver('outrigger', { maxNodesTotal: 10 })).toEqual({ maxNodesTotal: 10 });
  });
});

it.each<{ title: string; given: Record<string, unknown>; warnings: readonly unknown[] }>([
  { title: 'least-waste', given: {}, warnings: [expect.stringContaining('no decision chooses nodes by prices')] },
  { title: 'price', given: { expander: 'price' }, warnings: [] },
  { title: 'consolidation', given: { consolidation: 'replace' }, warnings: [] },
])('reserved capacity has an effect where decisions go by prices: with $title', ({ given, warnings }) => {
  expect(read({ ...given, 'reserved-capacity': 'true' }).warnings).toEqual(warnings);
});

it('every option is read from what is written of it', () => {
  const written = writeGivenOptions(defaultOptions());
  const { values, problems } = read({ ...written, balancingIgnoreLabel: [] });
  expect(problems).toEqual([]);
  expect(Object.keys(values).toSorted()).toEqual(Object.keys({ ...CLUSTER_OPTIONS, ...GROUP_OPTIONS }).toSorted());
});
