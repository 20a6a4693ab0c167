import type { Result } from '../values/result.ts';

/** The priority expander is configured by a ConfigMap of this name, in the namespace of the options, under this key. */
export const PRIORITY_CONFIG_MAP = Object.freeze({
  name: 'cluster-autoscaler-priority-expander',
  key: 'priorities',
});

/** Node groups whose name matches one of the patterns have this priority; higher priorities are preferred. */
export interface PriorityTier {
  readonly priority: number;
  /** Go's regular expressions, see `compileRegularExpression`; all of them compile. */
  readonly patterns: readonly string[];
}

/** The tiers, highest priority first, or what is wrong with the ConfigMap, in words. */
export type PriorityTiers = Result<readonly PriorityTier[], string>;
