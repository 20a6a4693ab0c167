import type { NodeUtilization } from '../model/decision.ts';

const NAMES = { cpu: 'CPU', memory: 'memory', gpu: 'GPU' } as const;

/** To a tenth, rounded up: what is above a threshold is not to read like it. */
export const percentRoundedUp = (share: number): string => `${Math.ceil(share * 1_000 - 1e-9) / 10}%`;

/** `CPU 32%, memory 41%, the threshold is 50%` */
export function utilizationText({ threshold, ...shares }: NodeUtilization): string {
  const named = (['cpu', 'memory', 'gpu'] as const).flatMap((resource) => {
    const share = shares[resource];
    return share === undefined ? [] : [`${NAMES[resource]} ${percentRoundedUp(share)}`];
  });
  return `${named.join(', ')}, the threshold is ${percentRoundedUp(threshold)}`;
}
