import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { ARCH_LABEL, OS_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { CPU, MEMORY, PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { kubeProxy } from '../../node-groups/templates/kube-proxy.ts';
import { mergeTaints, newNode } from '../../node-groups/templates/new-node.ts';
import type { ScalableResource } from '../api/objects.ts';
import type { StatedCapacity } from './capacity.ts';
import type { InfrastructureTemplate } from './infrastructure.ts';

/** Cluster Autoscaler's default, from Kubernetes' considerations for large clusters. */
const DEFAULT_MAX_PODS = 110;

/** Prefixes and domains of the labels that Cluster API passes from Machines on to Nodes (`GetManagedLabels` of util/labels). */
const ROLE_PREFIX = 'node-role.kubernetes.io';
const MANAGED_DOMAINS = ['node-restriction.kubernetes.io', 'node.cluster.x-k8s.io'] as const;

interface MachineTemplateParts {
  readonly group: GroupName;
  readonly resource: ScalableResource;
  readonly stated: StatedCapacity;
  /** `null` where the resource names none, or it was not or could not be read. */
  readonly infrastructure: InfrastructureTemplate | null;
  readonly defaultArchitecture: string;
}

/**
 * Builds the template of a group without a ready node. Annotations override what the infrastructure template says, as with
 * Cluster Autoscaler (clusterapi_unstructured.go); allocatable is the capacity, as nothing says what the kubelet reserves.
 *
 * @returns `null` where neither says how much CPU and memory a node has.
 */
export function buildMachineTemplate(parts: MachineTemplateParts): NodeTemplate | null {
  const { group, resource, stated } = parts;
  const capacity = capacityOf(parts);
  if (!((capacity[CPU] ?? 0) > 0 && (capacity[MEMORY] ?? 0) > 0)) {
    return null;
  }
  const node = newNode(group, {
    labels: labelsOf(parts),
    taints: mergeTaints(resource.template.taints, stated.taints),
    capacity,
    allocatable: capacity,
  });
  return { node, pods: [kubeProxy(node)] };
}

const capacityOf = ({ stated, infrastructure }: MachineTemplateParts): Resources => ({
  [PODS]: DEFAULT_MAX_PODS,
  ...infrastructure?.capacity,
  ...stated.resources,
});

function labelsOf({ resource, stated, infrastructure, defaultArchitecture }: MachineTemplateParts): Labels {
  const architecture = infrastructure?.architecture ?? defaultArchitecture;
  const os = infrastructure?.operatingSystem ?? 'linux';
  const managed = Object.entries(resource.template.labels).filter(([key]) => isManagedLabel(key));
  const labels: Labels = {
    [ARCH_LABEL]: architecture,
    [OS_LABEL]: os,
    ...Object.fromEntries(managed),
    ...resource.template.nodeLabels,
    ...stated.labels,
  };
  // The kubelet sets both to the same.
  return {
    'beta.kubernetes.io/arch': getOwn(labels, ARCH_LABEL),
    'beta.kubernetes.io/os': getOwn(labels, OS_LABEL),
    ...labels,
  };
}

/** Whether Cluster API passes a label of a Machine on to its Node. */
function isManagedLabel(key: string): boolean {
  const [domain = ''] = key.split('/');
  return domain === ROLE_PREFIX || MANAGED_DOMAINS.some((own) => domain === own || domain.endsWith(`.${own}`));
}
