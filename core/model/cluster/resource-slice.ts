import type { NodeName } from '../values/names.ts';

/** Devices of a node that a driver of dynamic resource allocation publishes, as far as they are counted. `resource.k8s.io/v1` */
export interface ResourceSlice {
  readonly name: string;
  /** `gpu.nvidia.com`. */
  readonly driver: string;
  /** `null`: the devices are of several nodes. */
  readonly nodeName: NodeName | null;
  /** Number of devices. */
  readonly devices: number;
}
