import { INSTANCE_TYPE_LABEL, type Node } from './cluster/node.ts';
import type { ProviderName } from './provider.ts';
import { rememberedOf } from './values/remembered.ts';
import type { Resources } from './values/resources.ts';

/** Label whose value is the type of a node's GPUs. Follows Cluster Autoscaler's cloud providers. */
export const GPU_LABEL: Readonly<Record<ProviderName, string>> = {
  aws: 'k8s.amazonaws.com/accelerator',
  clusterapi: 'cluster-api/accelerator',
};

/** Devices that a plugin announces some time after the node is Ready: whole ones, slices and cores. */
const DEVICES = ['nvidia.com/', 'amd.com/gpu', 'aws.amazon.com/neuron', 'habana.ai/', 'gpu.intel.com/'] as const;

const isDevice = (resource: string): boolean => DEVICES.some((prefix) => resource.startsWith(prefix));

export const hasDevices = ({ allocatable }: Node): boolean => {
  for (const name in allocatable) {
    if (allocatable[name]! > 0 && isDevice(name)) {
      return true;
    }
  }
  return false;
};

const withoutDeviceAmounts = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !isDevice(name)));

/** The node of a template without a device plugin that announces its devices. */
export const withoutDevices = (node: Node): Node => ({
  ...node,
  capacity: withoutDeviceAmounts(node.capacity),
  allocatable: withoutDeviceAmounts(node.allocatable),
});

/** The template of a group is asked about again for each of its nodes. */
const templateHasDevices = rememberedOf(hasDevices);

/**
 * Ready, but without the devices that it will have: its label or its group's template speaks of some, and the device
 * plugin has announced none. Pods that ask for devices would find no place on the node, and start another node. A node
 * that has had the time to start awaits no devices any more (`readinessOf`, `withAnnouncedDevices`).
 *
 * Follows Cluster Autoscaler's processors/customresources/gpu_processor.go, and looks at the template too: labels are
 * people's own. A template of another instance type says nothing.
 */
export function awaitsDevices(node: Node, template: Node | null, provider: ProviderName): boolean {
  const type = node.labels[INSTANCE_TYPE_LABEL];
  const alike = template !== null && (type === undefined || type === (template.labels[INSTANCE_TYPE_LABEL] ?? type));
  const expected = GPU_LABEL[provider] in node.labels || (alike && templateHasDevices(template));
  return expected && !hasDevices(node);
}
