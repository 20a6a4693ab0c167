import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { binding, clusterRole, rule } from './roles.ts';

/** The Kubernetes group of the functions that read the resources of Cluster API. */
export const CLUSTER_API_GROUP = 'outrigger-cluster-api';
/** The group of the functions that also change resources. */
export const CLUSTER_API_CHANGE_GROUP = 'outrigger-machines';

/** The settings that the roles for Cluster API depend on. */
export interface ClusterApiRoles {
  /** The API group of the resources. */
  readonly apiGroup: string;
  /** Whether MachineDeployments are node groups. */
  readonly machineDeployments: boolean;
  /** Infrastructure templates that are read, as `RESOURCE.GROUP` or `*.GROUP`. */
  readonly infrastructureTemplates: readonly string[];
}

/** OpenShift's Machine API, which has neither MachineDeployments and MachinePools nor Clusters. */
const OPENSHIFT = 'machine.openshift.io';

/**
 * The functions' rights to the resources of Cluster API, in the management cluster. Reading is one role, and changing
 * is another: without `mode: act` no function is in the second.
 *
 * @param dryRun whether they only observe: then they may read, and no more. The objects are the same.
 */
export function clusterApiRbac(
  { apiGroup, machineDeployments, infrastructureTemplates }: ClusterApiRoles,
  dryRun: boolean = false,
) {
  const complete = apiGroup !== OPENSHIFT;
  const scalable = ['machinesets', ...itemsIf(complete, ['machinedeployments', 'machinepools'])];
  const scaled = scalable.filter((resource) => machineDeployments || resource !== 'machinedeployments');
  const changes = [
    rule(['patch'], apiGroup, ...scaled.map((resource) => `${resource}/scale`)),
    rule(['patch', 'delete'], apiGroup, 'machines'),
  ];
  return [
    clusterRole(CLUSTER_API_GROUP, [
      rule(['get', 'list'], apiGroup, ...scalable, ...itemsIf(complete, ['clusters'])),
      rule(['list'], apiGroup, 'machines'),
      ...infrastructureTemplates.map((template) => {
        const dot = template.indexOf('.');
        return rule(['list'], template.slice(dot + 1), template.slice(0, dot));
      }),
    ]),
    binding(CLUSTER_API_GROUP),
    clusterRole(CLUSTER_API_CHANGE_GROUP, itemsIf(!dryRun, changes)),
    binding(CLUSTER_API_CHANGE_GROUP),
  ] as const;
}
