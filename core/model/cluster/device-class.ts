/** A class of devices, as far as it serves pods that request an extended resource. `resource.k8s.io/v1` */
export interface DeviceClass {
  readonly name: string;
  /** The resource that such pods request; `null` without one. */
  readonly extendedResourceName: string | null;
}
