import type { DisruptionReason } from '../../model/disruption.ts';
import type { Cause } from './cause.ts';
import { DRIFTED } from './drifted.ts';
import { EXPIRED } from './expired.ts';
import { UNHEALTHY } from './unhealthy.ts';

/** The most urgent first. */
export const CAUSES: readonly Cause[] = [UNHEALTHY, DRIFTED, EXPIRED];

/** The cause of a reason; `null` for reasons about the cost or the utilization of nodes. */
export const causeNamed = (reason: DisruptionReason): Cause | null =>
  CAUSES.find((cause) => cause.reason === reason) ?? null;
