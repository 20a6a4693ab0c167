import type { Scenario } from './scenario.ts';
import { sortedControllers, sortedNodes, sortedPods } from './cluster/sorted-objects.ts';
import { rememberedOf } from './values/remembered.ts';
import { sortedBy } from './values/sorted.ts';
import { orderedState } from './state.ts';

/** The scenario with every list in the order of names, so that the order of its input cannot matter. */
export const ordered = rememberedOf((scenario: Scenario): Scenario => {
  const { nodeGroups, objects, state } = scenario;
  return {
    ...scenario,
    nodeGroups: sortedBy(nodeGroups, ({ name }) => name).map((group) => ({
      ...group,
      nodes: group.nodes.toSorted(),
      instances: sortedBy(group.instances, ({ id }) => id),
      launchFailures: sortedBy(group.launchFailures, ({ id }) => id),
    })),
    objects: {
      ...objects,
      nodes: sortedNodes(objects.nodes),
      pods: sortedPods(objects.pods),
      controllers: sortedControllers(objects.controllers),
      persistentVolumes: sortedBy(objects.persistentVolumes, ({ name }) => name),
      persistentVolumeClaims: sortedBy(objects.persistentVolumeClaims, keyOfNamespaced),
      storageClasses: sortedBy(objects.storageClasses, ({ name }) => name),
      csiNodes: sortedBy(objects.csiNodes, ({ name }) => name),
      csiDrivers: sortedBy(objects.csiDrivers, ({ name }) => name),
      volumeAttachments: sortedBy(objects.volumeAttachments, ({ name }) => name),
      resourceSlices: sortedBy(objects.resourceSlices, ({ name }) => name),
      deviceClasses: sortedBy(objects.deviceClasses, ({ name }) => name),
      capacityBuffers: sortedBy(objects.capacityBuffers, keyOfNamespaced),
      resourceQuotas: sortedBy(objects.resourceQuotas, keyOfNamespaced),
      provisioningRequests: sortedBy(objects.provisioningRequests, keyOfNamespaced),
      podTemplates: sortedBy(objects.podTemplates, keyOfNamespaced),
      capacityQuotas: sortedBy(objects.capacityQuotas, ({ name }) => name),
      podGroups: sortedBy(objects.podGroups, keyOfNamespaced),
      namespaces: sortedBy(objects.namespaces, ({ name }) => name),
      podDisruptionBudgets: sortedBy(objects.podDisruptionBudgets, keyOfNamespaced),
      configMaps: sortedBy(objects.configMaps, keyOfNamespaced),
      priorityClasses: sortedBy(objects.priorityClasses, ({ name }) => name),
      closedNodes: sortedBy(objects.closedNodes, ({ node, reason, message }) => `${node}\n${reason}\n${message}`),
    },
    state: orderedState(state),
  };
});

const keyOfNamespaced = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
