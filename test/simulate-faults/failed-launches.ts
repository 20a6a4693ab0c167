import { type EpochMs, minutes } from '../../core/model/values/time.ts';
import type { FaultKind } from './fault-source.ts';
import type { Stage } from './invariants/invariant.ts';

/** Faults by which a launch, an instance or the call for it may fail. */
const OF_LAUNCHES: readonly FaultKind[] = [
  'api error',
  'lost answer',
  'outage',
  'machine',
  'node',
  'no capacity',
  'quota',
  'process',
  'launch hook',
  'stuck machine',
  'failed machine',
];
/**
 * 15 minutes until an instance that never registers counts as a failed launch (`maxNodeProvisionTime`), then
 * `maxNodeGroupBackoffDuration`.
 */
const LONGEST_BACKOFF = minutes(15 + 30);

/** Has anything failed so lately that a group may be left alone for it? */
export const mayBeBackedOff = ({ strikes }: Pick<Stage, 'strikes'>, now: EpochMs): boolean =>
  OF_LAUNCHES.some((kind) => now - strikes.last(kind) < LONGEST_BACKOFF);
