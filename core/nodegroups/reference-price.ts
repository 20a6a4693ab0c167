import { gpusIn } from '../model/cluster/gpu.ts';
import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';

const GIB = 2 ** 30;

/**
 * USD per hour of one vCPU, one GiB of memory and one GPU, as Cluster Autoscaler's price expander has them. They are of
 * another cloud, but only ratios between options matter, and EC2's general purpose families come to about the same
 * (0.036 for a vCPU and 0.0034 for a GiB of c5, m5 and r5 on demand).
 */
const CPU_PRICE = 0.033174;
const GIB_PRICE = 0.004446;
const GPU_PRICE = 0.7;

/** USD per hour of an instance with exactly these resources: CPU in millicores, memory in bytes. */
export function referencePrice(requested: Resources): number {
  const cores = (requested[CPU] ?? 0) / 1_000;
  const gibibytes = (requested[MEMORY] ?? 0) / GIB;
  return cores * CPU_PRICE + gibibytes * GIB_PRICE + gpusIn(requested) * GPU_PRICE;
}
