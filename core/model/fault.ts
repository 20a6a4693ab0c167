import { clip } from './values/clip.ts';
import type { UnexpectedError } from './decision.ts';
import type { GroupName, NodeName } from './values/names.ts';
import type { Pod } from './cluster/pod.ts';
import type { PodKind } from './snapshot/pod-kind.ts';

/** The object that was being processed when an exception was thrown. */
export type FaultSubject =
  | { readonly kind: 'pod'; readonly pod: Pod }
  /** All pods of a kind. */
  | { readonly kind: 'pods'; readonly of: PodKind }
  | { readonly kind: 'node'; readonly node: NodeName }
  | { readonly kind: 'group'; readonly group: GroupName };

/** An exception with its subjects: the nearest subject first, then the subject for which that one was processed. */
export class Fault extends Error {
  readonly subjects: readonly FaultSubject[];

  constructor(cause: unknown, subjects: readonly FaultSubject[]) {
    super(messageOf(cause), { cause });
    this.name = 'Fault';
    this.subjects = subjects;
  }
}

/** The same exception with one more subject, to be thrown. */
export const faultOf = (error: unknown, subject: FaultSubject): Fault =>
  error instanceof Fault ? new Fault(error.cause, [...error.subjects, subject]) : new Fault(error, [subject]);

/**
 * Does work about one subject; an exception names the subject. A hot loop has one `try` around the whole loop instead.
 */
export function about<T>(subject: FaultSubject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultOf(error, subject);
  }
}

/** The same for one node group after the other. */
export function eachGroup<G extends { readonly name: GroupName }>(
  groups: readonly G[],
  work: (group: G) => void,
): void {
  for (const group of groups) {
    about({ kind: 'group', group: group.name }, () => work(group));
  }
}

const LONGEST_STACK = 4_000;

/** An exception, as part of a decision. */
export function describeError(thrown: unknown): Pick<UnexpectedError, 'message' | 'stack'> {
  const error = thrown instanceof Fault ? thrown.cause : thrown;
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  return { message: messageOf(error), stack: clip(stack, LONGEST_STACK) };
}

function messageOf(error: unknown): string {
  return error instanceof Error
    ? clip(`${error.name}: ${error.message}`)
    : `something that is no error was thrown: ${typeof error}`;
}

/** Reads something of an object that may throw. */
export function readable<T, F>(read: () => T, fallback: F): T | F {
  try {
    return read();
  } catch {
    return fallback;
  }
}
