import { firstItem } from './values/existing.ts';
import type { GroupName } from './values/names.ts';
import { type EpochMs, formatTime } from './values/time.ts';
import { mapOptional } from './values/optional.ts';
import { sortedBy } from './values/sorted.ts';

/**
 * The work that a pause holds back. `ScaleUp`: increases. `ScaleDown`: removals, disruptions, repairs that end
 * instances, and drains. `All`: both. No pause holds back the answers for an instance that the cloud ends: without a
 * drain its pods would end without grace, and a lifecycle hook would wait for its timeout.
 */
export const PAUSED_PARTS = ['All', 'ScaleUp', 'ScaleDown'] as const;
export type PausedPart = (typeof PAUSED_PARTS)[number];

/** `Command`: `outrigger pause`. `ConfigMap`: an annotation of the status ConfigMap. `NodeGroup`: a tag or an annotation of the group. */
export const PAUSE_SOURCES = ['Command', 'ConfigMap', 'NodeGroup'] as const;
type PauseSource = (typeof PAUSE_SOURCES)[number];

/** A person has stopped Outrigger: in the whole cluster, or in one node group. */
export interface Pause {
  readonly part: PausedPart;
  /** `null`: the whole cluster. */
  readonly group: GroupName | null;
  /** When it ends by itself; `null`: when it is resumed. */
  readonly until: EpochMs | null;
  /** Drains that the pause holds are rolled back, rather than held at their phase. */
  readonly cancelDrains: boolean;
  readonly source: PauseSource;
}

/** Work that may be held back. */
export type PausableWork = Exclude<PausedPart, 'All'>;

/** A node group, with the pause that its tag or annotation asks for. */
interface Pausable {
  readonly pause?: Pause | undefined;
}

export const isActive = ({ until }: Pick<Pause, 'until'>, now: EpochMs): boolean => until === null || until > now;

/** It lasts until a person resumes. */
export const hasNoEnd = ({ until }: Pick<Pause, 'until'>): boolean => until === null;

const holds = ({ part, group }: Pause, work: PausableWork, of: GroupName): boolean =>
  (part === 'All' || part === work) && (group === null || group === of);

/** The pause that lasts longest comes first: it is the one to wait for. */
const byEnd = (a: Pause, b: Pause): number => (b.until ?? Infinity) - (a.until ?? Infinity) || 0;

/**
 * The pause that holds this work of a node group back; `null`: none does. Of several pauses, the one that ends last.
 *
 * @param group with its own pause, if known
 */
export function pauseOf(
  work: PausableWork,
  group: Pausable & { readonly name: GroupName },
  { pauses = [], now }: { readonly pauses?: readonly Pause[] | undefined; readonly now: EpochMs },
): Pause | null {
  const all = group.pause === undefined ? pauses : [...pauses, group.pause];
  const inForce = all.filter((pause) => holds(pause, work, group.name) && isActive(pause, now));
  // Asked about each node, nearly always without a pause: sorting nothing is what costs here.
  return inForce.length === 0 ? null : firstItem(inForce.toSorted(byEnd));
}

/** All pauses that are in force: of the cluster first, then those of groups by name. */
export function pausesIn({
  pauses = [],
  nodeGroups,
  now,
}: {
  readonly pauses?: readonly Pause[] | undefined;
  readonly nodeGroups: readonly Pausable[];
  readonly now: EpochMs;
}): readonly Pause[] {
  const all = [...pauses, ...nodeGroups.flatMap(({ pause }) => pause ?? [])];
  return inScopeOrder(all.filter((pause) => isActive(pause, now)));
}

const nameOf = ({ group, part, source }: Pause): string => `${group ?? ''} ${part} ${source}`;

/** The same for the same pause, and another one where its end is moved. */
export const nameOfPause = (pause: Pause): string =>
  `${nameOf(pause)} ${mapOptional(pause.until, formatTime) ?? 'for ever'}`;

/** Pauses of the whole cluster come first. */
export const inScopeOrder = (pauses: readonly Pause[]): readonly Pause[] => sortedBy(pauses, nameOf);

/** The command or annotation that sets a pause, and takes it back. */
const SOURCES: Readonly<Record<PauseSource, string>> = {
  Command: 'outrigger pause',
  ConfigMap: 'the annotation outrigger.dev/paused of the status ConfigMap',
  NodeGroup: 'outrigger.dev/paused of the node group',
};

/** The source of a pause: `by outrigger pause`. The same for as long as the pause lasts. */
export const pausedBy = ({ source }: Pause): string => `by ${SOURCES[source]}`;

/** `until 2026-01-01T03:00:00Z`, or `until it is resumed`. */
export const pausedUntil = ({ until }: Pick<Pause, 'until'>): string =>
  `until ${mapOptional(until, formatTime) ?? 'it is resumed'}`;
