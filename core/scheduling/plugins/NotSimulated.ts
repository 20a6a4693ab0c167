import { type PodGroup, podGroupsByKey } from '../../model/cluster/pod-group.ts';
import { podGroupKeyOf } from '../../model/cluster/pod.ts';
import { clip } from '../../model/values/clip.ts';
import { mapOptional } from '../../model/values/optional.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { deviceResources, isAllocatedByDevice } from '../device-classes.ts';
import { type Plugin, rejection, type Rejection, unlimited } from '../plugin.ts';

const CLAIMS = rejection(
  'NotSimulated',
  'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
);
const EXCLUDED = rejection('NotSimulated', 'node(s) were not simulated: something on them cannot be read');
const HELD = rejection(
  'NotSimulated',
  'node(s) were not simulated: a pod on them keeps others away by too much to follow',
);

/**
 * Nodes that are excluded, since something on them cannot be read, or since a pod on them keeps other pods away by more
 * terms than are followed; and pods whose place depends on something that is not simulated. The plugin comes last, so
 * that another filter's reason for rejecting a node comes first.
 */
export const notSimulated: Plugin = {
  name: 'NotSimulated',
  prepare: ({ objects, counts }) => {
    const excluded = new Set(objects.excludedNodes.map(({ node }) => node));
    const excluding = new Set<PodKind>();
    counts.onKind((kind) => {
      if (kind.closesNode) {
        excluding.add(kind);
      }
    });
    const unlessExcluded = ({ name, pods }: NodeInfo): Rejection | null => {
      if (excluded.has(name)) {
        return EXCLUDED;
      }
      if (excluding.size > 0) {
        for (const other of pods.keys()) {
          if (excluding.has(other)) {
            return HELD;
          }
        }
      }
      return null;
    };
    const podGroups = podGroupsByKey(objects.podGroups);
    const devices = deviceResources(objects);
    return (kind) => {
      const no = rejectionOf(kind, podGroups);
      if (no !== null) {
        return { node: () => no, room: unlimited };
      }
      const ofDevices = Object.keys(kind.requests).filter((name) => devices.has(name));
      if (ofDevices.length > 0) {
        return { node: (info) => allocationOf(ofDevices, info) ?? unlessExcluded(info), room: unlimited };
      }
      return excluded.size === 0 && excluding.size === 0 ? null : { node: unlessExcluded, room: unlimited };
    };
  },
};

/** kube-scheduler allocates a device where the node has the extended resource of no device plugin. */
function allocationOf(ofDevices: readonly string[], { node }: NodeInfo): Rejection | null {
  const resource = ofDevices.find((name) => isAllocatedByDevice(node, name));
  if (resource === undefined) {
    return null;
  }
  return rejection(
    'NotSimulated',
    `node(s) were not simulated: ${resource} stands for devices of dynamic resource allocation (spec.extendedResourceName of a DeviceClass)`,
  );
}

function rejectionOf(kind: PodKind, podGroups: ReadonlyMap<string, PodGroup>): Rejection | null {
  const { spec, tooMany } = kind;
  if (tooMany !== null) {
    return rejection('NotSimulated', `node(s) were not simulated: ${tooMany}`);
  }
  if (spec.resourceClaims.length > 0) {
    return CLAIMS;
  }
  return whyNotWithPodGroup(kind, podGroups);
}

/** Without its PodGroup, kube-scheduler does not schedule a pod either. */
function whyNotWithPodGroup(kind: PodKind, podGroups: ReadonlyMap<string, PodGroup>): Rejection | null {
  const { podGroup } = kind.spec;
  const key = podGroupKeyOf(kind);
  if (podGroup === undefined || key === null) {
    return null;
  }
  const group = podGroups.get(key);
  const name = clip(podGroup, 100);
  if (group === undefined) {
    return rejection('NotSimulated', `node(s) were not simulated: PodGroup ${name} does not exist, or cannot be read`);
  }
  return mapOptional(group.notSimulated, (why) =>
    rejection('NotSimulated', `node(s) were not simulated: ${why} of PodGroup ${name}`),
  );
}
