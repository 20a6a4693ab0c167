import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { flagsIn, type GivenFlag } from './arguments.ts';
import { chartsIn } from './charts.ts';
import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import {
  clusterApiVariables,
  type Deployment,
  fieldsOf,
  listedIn,
  textOf,
  textsIn,
  textsOf,
  versionOfTag,
} from './deployment.ts';
import { HANDLER_CHART } from './termination-handler.ts';

/** Values by which those of Cluster Autoscaler's chart are known. */
const SIGNS = ['autoDiscovery', 'autoscalingGroups', 'extraArgs', 'customArgs', 'awsRegion', 'expanderPriorities'];

/** The provider of Cluster API. */
const CLUSTER_API = 'clusterapi';

const CHART = {
  name: /cluster.?autoscaler/i,
  isMeant: (values: Fields): boolean =>
    SIGNS.some((sign) => Object.hasOwn(values, sign)) && !HANDLER_CHART.isMeant(values),
};

/**
 * Finds the values of Cluster Autoscaler's Helm chart.
 *
 * @param namespace of the release; `null` where it is not known
 */
export const helmDeployments = (values: Fields, origin: string, namespace: string | null): readonly Deployment[] =>
  chartsIn(CHART, values, origin).map((found) => helmDeployment(found.values, found.origin, namespace));

function helmDeployment(values: Fields, origin: string, namespace: string | null): Deployment {
  const discovery = fieldsOf(values['autoDiscovery']);
  const name = textOf(discovery['clusterName']);
  const provider = values['cloudProvider'];
  const flags = [
    ...textsIn([
      ['cloud-provider', provider],
      ['namespace', namespace],
    ]),
    ...groups(values['autoscalingGroups']),
    ...(textOf(provider) === CLUSTER_API ? resources(discovery) : tags(discovery['tags'], name)),
    ...textsIn([['cloud-config', values['cloudConfigPath']]]),
    ...Object.entries(fieldsOf(values['extraArgs'])).flatMap(([key, value]) => extraArgument(key, value)),
    ...flagsIn(textsOf(values['customArgs'])),
  ];
  return {
    origin,
    flags,
    variables: clusterApiVariables(textsIn(Object.entries(fieldsOf(values['extraEnv'])))),
    name,
    region: textOf(values['awsRegion']),
    version: versionOfTag(textOf(fieldsOf(values['image'])['tag'])),
    notes: notesOn(values, flags),
  };
}

/** Settings of the chart that are no flags, and the advice about each. */
function notesOn(values: Fields, flags: readonly GivenFlag[]): readonly string[] {
  const priorities = values['expanderPriorities'];
  const has = (flagName: string, part: string): boolean =>
    flags.some(({ name, value }) => name === flagName && value.includes(part));
  const notes: string[] = [];
  if (textOf(priorities) !== null || Object.keys(fieldsOf(priorities)).length > 0) {
    notes.push(
      'expanderPriorities: the ConfigMap cluster-autoscaler-priority-expander is a part of the release. It has to be kept when the release is uninstalled.',
    );
  }
  for (const key of ['serviceMonitor', 'prometheusRule']) {
    if (fieldsOf(values[key])['enabled'] === true) {
      notes.push(
        `${key}: metrics are in CloudWatch (docs/metrics.md). outrigger exporter serves them for Prometheus, with alert rules and a dashboard (docs/prometheus.md).`,
      );
    }
  }
  if (has('expander', 'priority') && !has('namespace', '')) {
    notes.push(
      'namespace: the chart passes the namespace of the release. Where that is not kube-system, options.namespace has to be written.',
    );
  }
  return notes;
}

const groups = (raw: unknown): readonly GivenFlag[] =>
  listedIn(raw)
    .map(fieldsOf)
    .map(({ minSize, maxSize, name }) => ({
      name: 'nodes',
      value: `${textOf(minSize) ?? ''}:${textOf(maxSize) ?? ''}:${textOf(name) ?? ''}`,
    }));

/** The flag for the provider `clusterapi`: a namespace, a cluster and labels, as the chart makes one flag of them. */
function resources(discovery: Fields): readonly GivenFlag[] {
  const said = textsIn([
    ['namespace', discovery['namespace']],
    ['clusterName', discovery['clusterName']],
    ...listedIn(discovery['labels']).flatMap((label) => Object.entries(fieldsOf(label))),
  ]);
  if (said.length === 0) {
    return [];
  }
  const parts = said.map(({ name, value }) => `${name}=${value}`);
  return [{ name: 'node-group-auto-discovery', value: `clusterapi:${parts.join(',')}` }];
}

/** The chart's own tags where none are given; no flag without the name of the cluster. */
function tags(raw: unknown, name: string | null): readonly GivenFlag[] {
  if (name === null) {
    return [];
  }
  const given = textsOf(raw);
  const all = given.length > 0 ? given : ['k8s.io/cluster-autoscaler/enabled', `k8s.io/cluster-autoscaler/${name}`];
  const filled = all.map((tag) => tag.replaceAll(/\{\{-?\s*\.Values\.autoDiscovery\.clusterName\s*-?\}\}/g, name));
  return [{ name: 'node-group-auto-discovery', value: `asg:tag=${filled.join(',')}` }];
}

/** `balancing-ignore-label_1` is the chart's way to give a flag twice: what follows `_` is no part of the name. */
function extraArgument(key: string, value: unknown): readonly GivenFlag[] {
  const name = textBefore(key, '_');
  return [value ?? 'true'].flat().map((one: unknown) => ({
    name,
    value: typeof one === 'string' ? one : (textOf(one) ?? JSON.stringify(one)),
  }));
}
