import { type EpochMs, epochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { Machine } from '../api/objects.ts';
import type { ApiKeys } from '../api/resources.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/**
 * Annotation of a Machine that is being terminated. At most one live Machine of a group has a claim and a deletion mark:
 * of two marked ones the MachineSet controller would choose the one to delete.
 */
export const CLAIM_KEY = 'outrigger.dev/terminating';

/** The note on a Machine that an attempt to terminate it makes before any change. */
export interface Claim {
  /**
   * Size of the group when the Machine was marked: one less now has been lowered for this Machine. `null` before that, while
   * another attempt in the group may still lower it.
   */
  readonly from: number | null;
  readonly at: EpochMs;
  /** Tells attempts apart. */
  readonly token: string;
}

const CLAIM = /^at=(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z) by=([\w-]{1,40})(?: from=(\d{1,10}))?$/;

/** The claim on a Machine; `null` where there is none, or the annotation was written by another client. */
export function claimOf({ annotations }: Machine): Claim | null {
  const [, at, token, from] = CLAIM.exec(annotations[CLAIM_KEY] ?? '') ?? [];
  const time = Date.parse(at ?? '');
  if (token === undefined || Number.isNaN(time)) {
    return null;
  }
  return { from: mapOptional(from, Number) ?? null, at: epochMs(time), token };
}

const writeClaim = ({ from, at, token }: Claim): string =>
  `at=${isoTime(at)} by=${token}${from === null ? '' : ` from=${from}`}`;

/** No attempt lasts longer than a minute; hosts' clocks are no further apart than another. */
const STALE_AFTER = minutes(5);

/** Whether the attempt that made a claim cannot be at work any more. */
export const isStale = ({ at }: Claim, now: EpochMs): boolean => Math.abs(now - at) >= STALE_AFTER;

const OWN_MARK = 'outrigger ';

/** The value of a deletion mark. Controllers look at the key alone; machine.openshift.io wants one that is not empty. */
const writeMark = (now: EpochMs): string => `${OWN_MARK}${isoTime(now)}`;

const isoTime = (time: EpochMs): string => new Date(time).toISOString();

const marksOf = ({ annotations }: Machine, { deleteMachine }: ApiKeys): readonly string[] =>
  deleteMachine.flatMap((key) => annotations[key] ?? []);

/** Whether the MachineSet deletes this Machine before others. */
export const isMarked = (machine: Machine, keys: ApiKeys): boolean => marksOf(machine, keys).length > 0;

/** Whether it is marked by a user or another autoscaler. */
export const isMarkedByOthers = (machine: Machine, keys: ApiKeys): boolean =>
  marksOf(machine, keys).some((mark) => !mark.startsWith(OWN_MARK));

/** Whether it is marked by an attempt of Outrigger. */
export const isMarkedByOwn = (machine: Machine, keys: ApiKeys): boolean =>
  marksOf(machine, keys).some((mark) => mark.startsWith(OWN_MARK));

/** Annotations to set on a Machine; `null` removes one. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export const claimChange = (claim: Claim): AnnotationChange => ({ [CLAIM_KEY]: writeClaim(claim) });

/** Sets every key that a controller of this API group may look at, except keys that other clients have set. */
export const markChange = (
  { annotations }: Machine,
  claim: Claim,
  { deleteMachine }: ApiKeys,
  now: EpochMs,
): AnnotationChange => ({
  ...claimChange(claim),
  ...Object.fromEntries(
    deleteMachine.filter((key) => !Object.hasOwn(annotations, key)).map((key) => [key, writeMark(now)]),
  ),
});

/** Removes the claim and the marks of attempts. Marks of others remain. */
export const releaseChange = ({ annotations }: Machine, { deleteMachine }: ApiKeys): AnnotationChange =>
  Object.fromEntries([
    [CLAIM_KEY, null],
    ...deleteMachine.filter((key) => annotations[key]?.startsWith(OWN_MARK)).map((key) => [key, null] as const),
  ]);
