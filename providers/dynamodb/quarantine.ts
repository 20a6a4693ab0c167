import type * as z from 'zod';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';

/** An item, or a part of one, that could not be read: it counts as absent, and is kept for inspection. */
export interface QuarantinedItem {
  readonly cluster: ClusterName;
  /** The item's sort key, with the place inside it. */
  readonly place: string;
  /** The expected format; never the content. */
  readonly reason: string;
}

export type OnQuarantine = (quarantined: QuarantinedItem) => void;

/** An unreadable part of an item: its place (`''` is the whole item), and why. */
export interface Problem {
  readonly place: string;
  readonly reason: string;
}

/** An item with unreadable parts. */
export interface UnreadableItem {
  readonly sk: string;
  readonly problems: readonly Problem[];
}

/** zod's findings on one line. */
export const findings = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ');
