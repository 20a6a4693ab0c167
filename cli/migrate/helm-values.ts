import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { flagsIn, type GivenFlag } from './arguments.ts';
import { chartsIn } from './charts.ts';
import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { clusterApiVariables, type Deployment, fieldsOf, listedIn, textOf, versionOfTag } from './deployment.ts';
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
  const tagged = name === null ? [] : tags(discovery['tags'], name);
  const flags = [
    ...flag('cloud-provider', values['cloudProvider']),
    ...flag('namespace', namespace),
    ...groups(values['autoscalingGroups']),
    ...(textOf(values['cloudProvider']) === CLUSTER_API ? resources(discovery) : tagged),
    ...flag('cloud-config', values['cloudConfigPath']),
    ...Object.entries(fieldsOf(values['extraArgs'])).flatMap(([key, value]) => extraArgument(key, value)),
    ...flagsIn(listedIn(values['customArgs']).flatMap((word) => textOf(word) ?? [])),
  ];
  return {
    origin,
    flags,
    variables: clusterApiVariables(
      Object.entries(fieldsOf(values['extraEnv'])).flatMap(([key, value]): (readonly [string, string])[] => {
        const text = textOf(value);
        return text === null ? [] : [[key, text]];
      }),
    ),
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
  return [
    ...(textOf(priorities) === null && Object.keys(fieldsOf(priorities)).length === 0
      ? []
      : [
          'expanderPriorities: the ConfigMap cluster-autoscaler-priority-expander is a part of the release. It has to be kept when the release is uninstalled.',
        ]),
    ...['serviceMonitor', 'prometheusRule']
      .filter((key) => fieldsOf(values[key])['enabled'] === true)
      .map(
        (key) =>
          `${key}: metrics are in CloudWatch (docs/metrics.md). outrigger exporter serves them for Prometheus, with alert rules and a dashboard (docs/prometheus.md).`,
      ),
    ...(has('expander', 'priority') && !has('namespace', '')
      ? [
          'namespace: the chart passes the namespace of the release. Where that is not kube-system, options.namespace has to be written.',
        ]
      : []),
  ];
}

const flag = (name: string, value: unknown): readonly GivenFlag[] => {
  const text = textOf(value);
  return text === null ? [] : [{ name, value: text }];
};

const groups = (raw: unknown): readonly GivenFlag[] =>
  listedIn(raw)
    .map(fieldsOf)
    .map(({ minSize, maxSize, name }) => ({
      name: 'nodes',
      value: `${textOf(minSize) ?? ''}:${textOf(maxSize) ?? ''}:${textOf(name) ?? ''}`,
    }));

/** The flag for the provider `clusterapi`: a namespace, a cluster and labels, as the chart makes one flag of them. */
function resources(discovery: Fields): readonly GivenFlag[] {
  const said = [
    ['namespace', discovery['namespace']] as const,
    ['clusterName', discovery['clusterName']] as const,
    ...listedIn(discovery['labels']).flatMap((label) => Object.entries(fieldsOf(label))),
  ];
  const parts = said.flatMap(([key, value]) => {
    const text = textOf(value);
    return text === null ? [] : [`${key}=${text}`];
  });
  return parts.length === 0 ? [] : [{ name: 'node-group-auto-discovery', value: `clusterapi:${parts.join(',')}` }];
}

/** The chart's own tags where none are given. */
function tags(raw: unknown, name: string): readonly GivenFlag[] {
  const given = listedIn(raw).flatMap((tag) => textOf(tag) ?? []);
  const all = given.length > 0 ? given : ['k8s.io/cluster-autoscaler/enabled', `k8s.io/cluster-autoscaler/${name}`];
  const filled = all.map((tag) => tag.replaceAll(/\{\{-?\s*\.Values\.autoDiscovery\.clusterName\s*-?\}\}/g, name));
  return [{ name: 'node-group-auto-discovery', value: `asg:tag=${filled.join(',')}` }];
}

/** `balancing-ignore-label_1` is the chart's way to give a flag twice: what follows `_` is no part of the name. */
function extraArgument(key: string, value: unknown): readonly GivenFlag[] {
  const name = textBefore(key, '_');
  if (value === null || value === undefined) {
    return [{ name, value: 'true' }];
  }
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => ({
    name,
    value: textOf(one) ?? (typeof one === 'string' ? '' : JSON.stringify(one)),
  }));
}
