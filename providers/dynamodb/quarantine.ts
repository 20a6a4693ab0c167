import type * as z from 'zod';
import type { ClusterName } from '../../core/model/values/names.ts';

/** An item, or a part of one, that could not be read: treated as absent, kept for somebody to look at. */
export interface Quarantined {
  readonly cluster: ClusterName;
  /** The item's sort key, with the place inside it. */
  readonly place: string;
  /** What was expected and not found; never the content. */
  readonly reason: string;
}

export type OnQuarantine = (quarantined: Quarantined) => void;

/** Something in an item that could not be read: where in the item (`''` is the whole of it), and why. */
export interface Problem {
  readonly place: string;
  readonly reason: string;
}

/** zod's findings on one line. */
export const findings = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ');
