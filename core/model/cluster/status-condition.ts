import type { EpochMs } from '../values/time.ts';

/** A condition in the status of an object, as `metav1.Condition`. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: EpochMs | null;
}

/** A condition to be written. */
export interface WrittenCondition extends StatusCondition {
  readonly since: EpochMs;
  readonly observedGeneration: number;
}

export const conditionOf = (
  { conditions }: { readonly conditions: readonly StatusCondition[] },
  type: string,
): StatusCondition | undefined => conditions.find((one) => one.type === type);

export const isConditionTrue = (of: { readonly conditions: readonly StatusCondition[] }, type: string): boolean =>
  conditionOf(of, type)?.status === 'True';
