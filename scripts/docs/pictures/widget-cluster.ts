import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { ClusterRecord } from '../../../core/explanation/cluster-record.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import { recorded } from '../../../core/actuation/commit/recorded.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';

const NOW = '2026-01-01T12:00:00Z';
const ZONES = ['a', 'b', 'c'] as const;

const labels = (pool: string, zone: string) => ({
  'node.kubernetes.io/instance-type': pool === 'gpu' ? 'g5.xlarge' : 'm5.xlarge',
  'topology.kubernetes.io/zone': `eu-west-1${zone}`,
  pool,
});
const ALLOCATABLE = { cpu: '3920m', memory: '15Gi', pods: '58' };

const group = (pool: string, zone: string, nodes: readonly string[], maxSize: number) => ({
  name: `${pool}-${zone}`,
  minSize: 1,
  maxSize,
  targetSize: nodes.length,
  price: 0.214,
  nodes,
  template: { metadata: { labels: labels(pool, zone) }, status: { capacity: ALLOCATABLE, allocatable: ALLOCATABLE } },
});

const node = (name: string, pool: string, zone: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, creationTimestamp: '2026-01-01T09:00:00Z', labels: labels(pool, zone) },
  spec: { providerID: `aws:///eu-west-1${zone}/i-0${name.replaceAll(/\W/g, '').padEnd(16, '0').slice(0, 16)}` },
  status: {
    capacity: ALLOCATABLE,
    allocatable: ALLOCATABLE,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T09:01:00Z' }],
  },
});

const pod = (name: string, app: string, cpu: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    labels: { app },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, controller: true }],
  },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu, memory: '1Gi' } } }], ...spec },
});

/** A pod that waits: a fifth of them want nodes that no group has, the others some more of the usual ones. */
const waiting = (i: number, count: number) =>
  i % 10 === 0 && count > 1
    ? pod(`report-${i}`, 'report', '12')
    : i % 10 === 1 || count === 1
      ? pod(`train-${i}`, 'train', '500m', { nodeSelector: { pool: 'gpu-large' } })
      : pod(`checkout-${i}`, 'checkout', '1500m');

/**
 * A cluster in the form that the functions store: three groups of `web` with two nodes each (one unneeded, one kept by
 * a pod), a full group, and some pending pods.
 */
export function pictured(pods: number): ClusterRecord {
  const web = ZONES.flatMap((zone) => [1, 2].map((i) => ({ name: `web-${zone}-${i}`, zone })));
  const read = readScenario({
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'Scenario',
    metadata: { name: 'shop' },
    now: NOW,
    options: { expander: 'least-waste', balanceSimilarNodeGroups: true },
    nodeGroups: [
      ...ZONES.map((zone) =>
        group(
          'web',
          zone,
          web.filter((one) => one.zone === zone).map(({ name }) => name),
          20,
        ),
      ),
      group('gpu', 'a', ['gpu-a-1'], 1),
    ],
    objects: [
      ...web.map(({ name, zone }) => node(name, 'web', zone)),
      node('gpu-a-1', 'gpu', 'a'),
      ...web.slice(0, -2).map(({ name }, i) => pod(`checkout-on-${i}`, 'checkout', '3', { nodeName: name })),
      { ...pod('cache-0', 'cache', '500m', { nodeName: 'web-c-1', volumes: [{ name: 'data', emptyDir: {} }] }) },
      ...Array.from({ length: pods }, (_, i) => waiting(i, pods)),
    ],
  });
  if (!read.ok) {
    throw new Error(`the cluster of the pictures cannot be read: ${JSON.stringify(read.error)}`);
  }
  const scenario = read.value;
  const up = evaluateScaleUp(scenario);
  const down = evaluateScaleDown({ ...scenario, state: up.state });
  return {
    cluster: clusterName('shop'),
    mode: 'act',
    now: addTime(scenario.now, seconds(40)),
    options: scenario.options,
    version: 2,
    state: { ...down.state, lastEvaluation: scenario.now },
    intents: [],
    drains: [],
    scaleUp: recorded(up, scenario),
    scaleDown: recorded(down, scenario),
  };
}
