import * as z from 'zod';
import { eksClusterName, externalId, ofPattern, region, role } from './aws-names.ts';
import {
  A_DISCOVERY_SPEC,
  type DiscoverySpec,
  parseDiscoverySpec,
  writeDiscoverySpec,
} from './cluster-api-discovery.ts';
import { closed, orNull } from './document.ts';
import { listOf } from './list-of.ts';
import { choice } from './names.ts';
import { decodeJsonBy, refuse } from './read.ts';

const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x'] as const;

const apiGroup = ofPattern(
  /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)+$/,
  'an API group such as cluster.x-k8s.io',
);

const spec = z.codec(z.string(A_DISCOVERY_SPEC), z.custom<DiscoverySpec>(), {
  decode: (text, ctx) => parseDiscoverySpec(text) ?? refuse(ctx, A_DISCOVERY_SPEC),
  encode: writeDiscoverySpec,
});

/** Resources of templates, as `kubectl` names them. */
const template = ofPattern(
  /^(?:\*|[a-z][a-z0-9]{0,62})(?=.{1,254}$)(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?){2,}$/,
  'templates as RESOURCE.GROUP, such as awsmachinetemplates.infrastructure.cluster.x-k8s.io, or *.GROUP',
);

/** The schema of `managementCluster`. */
export const managementCluster = closed({
  name: eksClusterName.describe('Name of the EKS cluster.'),
  region: orNull(region).describe('Its region.').meta({ absent: 'that of the cluster' }),
  role: orNull(role)
    .describe('Role to assume for a management cluster in another account.')
    .meta({ absent: 'the roles of the functions' }),
  externalId: orNull(externalId).describe('External ID that the trust policy of `role` asks for.'),
});

/** The setting `clusterApi`. */
export const clusterApi = closed({
  apiGroup: apiGroup
    .default('cluster.x-k8s.io')
    .describe(
      "API group of the resources and of their annotations: `cluster.x-k8s.io`, `machine.openshift.io`, or another. Cluster Autoscaler's variable `CAPI_GROUP`.",
    ),
  discovery: listOf(spec, { min: 0, max: 50 }, 'specifications')
    .default([])
    .describe(
      "Which resources with the annotations are node groups: resources that match all parts of any of these specifications, `clusterapi:namespace=…,clusterName=…,LABEL=VALUE`. The values of Cluster Autoscaler's `--node-group-auto-discovery`.",
    )
    .meta({
      absent:
        'all in a cluster with its own alone; with several Clusters, and with `managementCluster`, those of the Cluster with the name of the cluster',
    }),
  machineDeployments: z
    .boolean('true or false')
    .default(true)
    .describe(
      'Whether MachineDeployments are node groups. Otherwise those MachineSets are that no MachineDeployment owns, and MachinePools.',
    ),
  defaultArchitecture: choice(ARCHITECTURES)
    .default('amd64')
    .describe(
      "Architecture of nodes that no template and no node shows. Cluster Autoscaler's variable `CAPI_SCALE_ZERO_DEFAULT_ARCH`.",
    ),
  infrastructureTemplates: listOf(template, { min: 0, max: 20 }, 'resources')
    .default(['*.infrastructure.cluster.x-k8s.io'])
    .describe(
      'Infrastructure templates that the manifests allow to be read, as `RESOURCE.GROUP`. They show what a node of a group at zero is like; without them, annotations do.',
    ),
  autoScalingGroups: z
    .boolean('true or false')
    .default(true)
    .describe('Whether Auto Scaling groups are node groups in addition to the resources of Cluster API.'),
  managementCluster: orNull(managementCluster)
    .describe('The EKS cluster that has the resources of Cluster API.')
    .meta({ absent: 'the cluster itself' }),
});

/** How the resources of Cluster API are found that are node groups of a cluster. */
export type ClusterApi = z.output<typeof clusterApi>;

/** The EKS cluster with the resources of Cluster API, if the machines are nodes of another cluster. */
export type ManagementCluster = NonNullable<ClusterApi['managementCluster']>;

/** Reads the JSON of what `writeClusterApi` has written. @throws Error with everything that is wrong, after `origin` */
export const parseClusterApi = (json: string, origin: string): ClusterApi => decodeJsonBy(clusterApi, json, origin);

/** The default of an empty setting. */
export const defaultClusterApi = (): ClusterApi => parseClusterApi('{}', 'clusterApi');

/** As the setting is written. */
export const writeClusterApi = (value: ClusterApi): object => z.encode(clusterApi, value);
