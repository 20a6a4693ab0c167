import type { Pause } from './pause.ts';
import type { NodeName, PodKey } from './values/names.ts';
import { sortedBy } from './values/sorted.ts';
import type { EpochMs } from './values/time.ts';
import { presentItems } from './values/optional.ts';

/** Something about the cluster that a person should look at, though every function does its part. */
export type HealthProblem =
  | { readonly kind: 'ClusterUnhealthy' }
  /** Pods that a node group could hold, or that have room on a node: the one that has waited longest, and how many. */
  | { readonly kind: 'LongPendingPods'; readonly since: EpochMs; readonly pod: PodKey; readonly pods: number }
  /** The pod that no notification has come for. */
  | { readonly kind: 'WebhookSilent'; readonly since: EpochMs; readonly pod: PodKey }
  | { readonly kind: 'NodeTainted'; readonly since: EpochMs; readonly node: NodeName }
  /** A ready node that still awaits its pods. */
  | { readonly kind: 'NodeAwaitingPods'; readonly since: EpochMs; readonly node: NodeName }
  /** The first pause without an end. */
  | { readonly kind: 'LongPause'; readonly since: EpochMs; readonly pause: Pause };

/** The kinds that are kept in the state: of the others the latest decision tells. */
export const STORED_HEALTH_PROBLEMS = [
  'LongPendingPods',
  'WebhookSilent',
  'NodeTainted',
  'NodeAwaitingPods',
  'LongPause',
] as const satisfies readonly HealthProblem['kind'][];

/** A problem in the state, for readers of the state alone. */
export interface StoredHealthProblem {
  readonly kind: (typeof STORED_HEALTH_PROBLEMS)[number];
  readonly since: EpochMs;
  /** The pod, with its namespace; the node; the node group that is paused, or `` for the cluster. */
  readonly about: string;
  /** Number of such pods; 0 for a node or a pause. */
  readonly pods: number;
}

/** The problem as it is kept; `null` for one that is not. */
export function storedHealthProblem(problem: HealthProblem): StoredHealthProblem | null {
  switch (problem.kind) {
    case 'ClusterUnhealthy':
      return null;
    case 'LongPendingPods':
      return { kind: problem.kind, since: problem.since, about: problem.pod, pods: problem.pods };
    case 'WebhookSilent':
      return { kind: problem.kind, since: problem.since, about: problem.pod, pods: 1 };
    case 'NodeTainted':
    case 'NodeAwaitingPods':
      return { kind: problem.kind, since: problem.since, about: problem.node, pods: 0 };
    case 'LongPause':
      return { kind: problem.kind, since: problem.since, about: problem.pause.group ?? '', pods: 0 };
  }
}

/** The problems that are kept; `undefined` where there are none. */
export function storedHealthProblems(problems: readonly HealthProblem[]): readonly StoredHealthProblem[] | undefined {
  const kept = presentItems(problems.map(storedHealthProblem));
  return kept.length === 0 ? undefined : sortedBy(kept, nameOfHealthProblem);
}

/** The sort key of the list. */
export const nameOfHealthProblem = ({ kind, about }: StoredHealthProblem): string => `${kind}/${about}`;
