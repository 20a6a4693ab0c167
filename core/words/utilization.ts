import type { NodeUtilization } from '../model/decision.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** To a tenth, rounded up: what is above a threshold is not to read like it. */
export const percentRoundedUp = (share: number): string => `${Math.ceil(share * 1_000 - 1e-9) / 10}%`;

/** `CPU 32%, memory 41%, the threshold is 50%` */
export function utilizationText({ threshold, cpu, memory, gpu }: NodeUtilization): string {
  const shares = presentItems([
    mapOptional(cpu, (share) => `CPU ${percentRoundedUp(share)}`),
    mapOptional(memory, (share) => `memory ${percentRoundedUp(share)}`),
    mapOptional(gpu, (share) => `GPU ${percentRoundedUp(share)}`),
  ]);
  return `${shares.join(', ')}, the threshold is ${percentRoundedUp(threshold)}`;
}
