import type { Resources } from '../values/resources.ts';

/** Resources that are GPUs. Follows Cluster Autoscaler's `GPUVendorResourceNames`. */
const GPU_RESOURCES = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'habana.ai/gaudi',
  'gpu.intel.com/xe',
  'microsoft.com/directx',
] as const;

/** How many GPUs these are, whatever their make. */
export const gpusIn = (amounts: Resources): number =>
  GPU_RESOURCES.reduce((sum, name) => sum + (amounts[name] ?? 0), 0);
