import { getOwn } from './values/existing.ts';
import { gpusIn } from './cluster/gpu.ts';
import { INSTANCE_TYPE_LABEL, type Node } from './cluster/node.ts';
import type { ResourceSlice } from './cluster/resource-slice.ts';
import type { ProviderName } from './provider.ts';
import type { NodeName } from './values/names.ts';
import { rememberedOf } from './values/remembered.ts';
import type { Resources } from './values/resources.ts';

/** Label whose value is the type of a node's GPUs. Follows Cluster Autoscaler's cloud providers. */
export const GPU_LABEL: Readonly<Record<ProviderName, string>> = {
  aws: 'k8s.amazonaws.com/accelerator',
  clusterapi: 'cluster-api/accelerator',
};

/** Has the node GPUs, or is it to have some? */
export const hasGpus = ({ labels, allocatable }: Node, provider: ProviderName): boolean =>
  GPU_LABEL[provider] in labels || gpusIn(allocatable) > 0;

/** Drivers of dynamic resource allocation that have the devices of a device plugin. Slices of network cards say nothing about GPUs. */
const DRIVERS: ReadonlySet<string> = new Set([
  'gpu.nvidia.com',
  'gpu.amd.com',
  'neuron.aws.com',
  'gaudi.intel.com',
  'gpu.intel.com',
]);

/** The nodes whose devices a driver of dynamic resource allocation has published: such nodes await no device plugin. */
export const nodesWithPublishedDevices = rememberedOf(
  (slices: readonly ResourceSlice[]): ReadonlySet<NodeName> =>
    new Set(
      slices
        .filter(({ driver, devices }) => devices > 0 && DRIVERS.has(driver))
        .flatMap(({ nodeName }) => nodeName ?? []),
    ),
);

/** Devices that a plugin announces some time after the node is Ready: whole ones, slices and cores. */
const DEVICES = ['nvidia.com/', 'amd.com/gpu', 'aws.amazon.com/neuron', 'habana.ai/', 'gpu.intel.com/'] as const;

const isDevice = (resource: string): boolean => DEVICES.some((prefix) => resource.startsWith(prefix));

export const hasDevices = ({ allocatable }: Node): boolean => {
  for (const name in allocatable) {
    if (getOwn(allocatable, name) > 0 && isDevice(name)) {
      return true;
    }
  }
  return false;
};

const withoutDeviceAmounts = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !isDevice(name)));

/** The node of a template without a device plugin that announces its devices. */
export const withoutDevicePlugin = (node: Node): Node => ({
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
