import { minorOf } from '../model/cluster/kubernetes-version.ts';
import type { Node } from '../model/cluster/node.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { valueOf } from '../model/values/records.ts';

/** Every DeviceClass has an extended resource of this prefix (`ResourceDeviceClassPrefix` of k8s.io/api/resource/v1). */
const PREFIX = 'deviceclass.resource.kubernetes.io/';

const NONE: ReadonlySet<string> = new Set();

/** The extended resources that stand for devices of dynamic resource allocation: none before Kubernetes 1.36. */
export const deviceResources = (objects: ClusterObjects): ReadonlySet<string> =>
  minorOf(objects) < 36 ? NONE : resourcesOf(objects.deviceClasses);

const resourcesOf = rememberedOf(
  (classes: ClusterObjects['deviceClasses']): ReadonlySet<string> =>
    new Set(
      classes
        .flatMap(({ name, extendedResourceName }) => [`${PREFIX}${name}`, extendedResourceName])
        .filter((name) => name !== null),
    ),
);

/**
 * Does no device plugin of the node have the resource, so that kube-scheduler allocates a device for it? Follows
 * `shouldDelegateResourceToDRA` of kube-scheduler 1.37, plugins/noderesources.
 */
export const isAllocatedByDevice = ({ allocatable }: Node, resource: string): boolean =>
  !((valueOf(allocatable, resource) ?? 0) > 0);
