import { REGION_LABEL, ZONE_LABEL, HOSTNAME_LABEL } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { addResources, MEMORY, NO_RESOURCES, type Resources } from '../model/values/resources.ts';
import { type ProviderName, providerOf } from '../model/provider.ts';
import type { Labels } from '../model/cluster/selectors.ts';
import type { GroupTemplate } from './node-templates.ts';

const IGNORED_LABELS = [
  HOSTNAME_LABEL,
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  ZONE_LABEL,
  REGION_LABEL,
  'beta.kubernetes.io/fluentd-ds-ready',
  'kops.k8s.io/instancegroup',
] as const;

const IGNORED_LABELS_OF: Readonly<Record<ProviderName, readonly string[]>> = {
  aws: [
    'alpha.eksctl.io/instance-id',
    'alpha.eksctl.io/nodegroup-name',
    'eks.amazonaws.com/nodegroup',
    'k8s.amazonaws.com/eniConfig',
    'lifecycle',
    'topology.ebs.csi.aws.com/zone',
    'topology.k8s.aws/zone-id',
  ],
  clusterapi: [
    'topology.ebs.csi.aws.com/zone',
    'topology.diskplugin.csi.alibabacloud.com/zone',
    'topology.gke.io/zone',
    'ibm-cloud.kubernetes.io/worker-id',
    'vpc-block-csi-driver-labels',
  ],
};

/** Are two groups the same but for where they are? */
export type Similarity = (a: GroupTemplate, b: GroupTemplate) => boolean;

/**
 * Similar groups have the same capacity (memory within `memoryDifferenceRatio`), allocatable and free resources within
 * their ratios, and the same labels but for those that name a place. Tolerances are relative to the larger figure;
 * taints are not compared. Groups of two providers are not similar: each provider labels places in its own way. With
 * `balancingLabel` these labels alone are compared.
 *
 * Follows Cluster Autoscaler's processors/nodegroupset.
 *
 * @param provider of the templates that do not say another one.
 */
export function similarityFor(options: Options, provider: ProviderName): Similarity {
  if (options.balancingLabel.length > 0) {
    return (a, b) =>
      options.balancingLabel.every(
        (key) => a.node.labels[key] !== undefined && a.node.labels[key] === b.node.labels[key],
      );
  }
  const ignoredBy = (its: ProviderName): ReadonlySet<string> =>
    new Set([...IGNORED_LABELS, ...IGNORED_LABELS_OF[its], ...options.balancingIgnoreLabel]);
  const ignored: Readonly<Record<ProviderName, ReadonlySet<string>>> = {
    aws: ignoredBy('aws'),
    clusterapi: ignoredBy('clusterapi'),
  };
  return (a, b) =>
    providerOf(a, { provider }) === providerOf(b, { provider }) &&
    sameCapacity(a.node.capacity, b.node.capacity, options.memoryDifferenceRatio) &&
    alike(a.node.allocatable, b.node.allocatable, options.maxAllocatableDifferenceRatio) &&
    alike(freeOf(a), freeOf(b), options.maxFreeDifferenceRatio) &&
    sameLabels(a.node.labels, b.node.labels, ignored[providerOf(a, { provider })]);
}

const within = (a: number, b: number, ratio: number): boolean => Math.abs(a - b) <= Math.max(a, b) * ratio;

const sameNames = (a: Resources, b: Resources): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => name in b);

function sameCapacity(a: Resources, b: Resources, memoryRatio: number): boolean {
  return (
    sameNames(a, b) &&
    Object.keys(a).every((name) => (name === MEMORY ? within(a[name]!, b[name]!, memoryRatio) : a[name] === b[name]))
  );
}

const alike = (a: Resources, b: Resources, ratio: number): boolean =>
  sameNames(a, b) && Object.keys(a).every((name) => within(a[name]!, b[name]!, ratio));

/** Every template is compared with many others. */
const known = new WeakMap<GroupTemplate, Resources>();

function freeOf(template: GroupTemplate): Resources {
  let free = known.get(template);
  if (free === undefined) {
    const used = template.pods.reduce((sum, pod) => addResources(sum, podRequests(pod)), NO_RESOURCES);
    free = Object.fromEntries(
      Object.entries(template.node.allocatable).map(([name, amount]) => [name, amount - (used[name] ?? 0)]),
    );
    known.set(template, free);
  }
  return free;
}

function sameLabels(a: Labels, b: Labels, ignored: ReadonlySet<string>): boolean {
  const covers = (x: Labels, y: Labels): boolean =>
    Object.keys(x).every((key) => ignored.has(key) || x[key] === y[key]);
  return covers(a, b) && covers(b, a);
}
