import type { Taint } from './node.ts';

/**
 * Kube-scheduler fills nodes with fewer `PreferNoSchedule` taints first, so the more of these a node bears, the later it is filled:
 * the first, the first two or all three.
 */
export const FILL_TAINTS: readonly Taint[] = Object.freeze(
  ['outrigger.dev/filled-late', 'outrigger.dev/filled-later', 'outrigger.dev/filled-last'].map((key) =>
    Object.freeze({ key, value: '', effect: 'PreferNoSchedule' }),
  ),
);

const KEYS: ReadonlySet<string> = new Set(FILL_TAINTS.map(({ key }) => key));

export const isFillTaint = ({ key }: Taint): boolean => KEYS.has(key);
