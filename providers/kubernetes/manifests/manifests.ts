import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { type ClusterApiRoles, clusterApiRbac } from './cluster-api.ts';
import { flowControl } from './flow-control.ts';
import type { KubernetesObject } from './object.ts';
import { CONFIG_NAMESPACE, type OptionsWithRights, rbac, STATUS_CONFIG_MAP } from './rbac.ts';
import { webhookConfiguration } from './webhook.ts';

/** The settings that the objects in a cluster depend on. */
export interface ManifestSettings extends OptionsWithRights {
  readonly cluster: string;
  /** The namespace of the ConfigMaps with the expander's priorities and with the status; absent: `kube-system`. */
  readonly namespace?: string | undefined;
  /** The name of the ConfigMap with the status; absent: Cluster Autoscaler's; `null`: none is written. */
  readonly statusConfigMap?: string | null | undefined;
  /** Users of schedulers beside kube-scheduler. */
  readonly schedulerUsers: readonly string[];
  /** Whether the functions' requests have a priority level of their own. */
  readonly flowSchema: boolean;
  /** Roles for resources of Cluster API that are in this cluster; absent or `null`: none. */
  readonly clusterApi?: ClusterApiRoles | null | undefined;
  /** Whether the functions only observe, and get no right to change anything; absent: they act. */
  readonly dryRun?: boolean | undefined;
}

/**
 * All objects of a deployment in the cluster, in the order in which they are applied: the webhook is the last, for its
 * calls need the other objects.
 *
 * @param url of the webhook, with its token; `null`: without the webhook
 */
export const manifestsOf = (
  { cluster, namespace, statusConfigMap, schedulerUsers, flowSchema, clusterApi, dryRun, ...rights }: ManifestSettings,
  url: string | null,
): readonly KubernetesObject[] => [
  ...rbac(namespace, dryRun, statusConfigMap, rights).items,
  ...(clusterApi === undefined || clusterApi === null ? [] : clusterApiRbac(clusterApi, dryRun)),
  ...itemsIf(flowSchema, flowControl()),
  ...(url === null
    ? []
    : [webhookConfiguration(cluster, { url, ca: null, schedulerUsers, readyNodes: rights.plannedPlacement })]),
];

/** All objects that a deployment may ever have applied: to be removed, the webhook first. */
export const removableManifests = (
  settings: Omit<ManifestSettings, 'flowSchema' | 'clusterApi'>,
): readonly KubernetesObject[] => [
  ...manifestsOf(
    { ...settings, schedulerUsers: [], flowSchema: true, clusterApi: ANY_ROLES },
    'https://removed.invalid/',
  ).toReversed(),
  statusObject(settings),
];

/** The object that the functions themselves have made: the ConfigMap with the status. */
const statusObject = ({ namespace, statusConfigMap }: Pick<ManifestSettings, 'namespace' | 'statusConfigMap'>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: namespace ?? CONFIG_NAMESPACE, name: statusConfigMap ?? STATUS_CONFIG_MAP },
});

/** Roles that are removed need their names alone. */
const ANY_ROLES: ClusterApiRoles = {
  apiGroup: 'cluster.x-k8s.io',
  machineDeployments: true,
  infrastructureTemplates: [],
};
