import { firstNames } from '../model/values/clip.ts';
import type { GroupRejection, PodReason, PodRejection } from '../model/decision.ts';
import { counted } from '../model/values/counted.ts';
import { byName, type GroupName, type PodKey } from '../model/values/names.ts';

/** Node groups that cannot hold a pod for one reason. */
export interface GroupedReason {
  readonly reason: string;
  /** Sorted; empty where the reason is the pod's own. */
  readonly groups: readonly GroupName[];
}

/** The reasons of a pod, each once: its own first, then those of most groups, then by their text. */
export function groupedReasons(reasons: readonly PodReason[]): readonly GroupedReason[] {
  const byReason = Map.groupBy(reasons, ({ reason }) => reason);
  return [...byReason]
    .map(([reason, same]) => ({
      reason,
      groups: same.flatMap(({ group }) => group ?? []).toSorted(byName),
    }))
    .toSorted((a, b) => rank(a) - rank(b) || byName(a.reason, b.reason));
}

const rank = ({ groups }: GroupedReason): number => (groups.length === 0 ? -Infinity : -groups.length);

/** `12 groups: Insufficient cpu`; of one group, its name; the pod's own reason as it is. */
export function groupedReasonText({ reason, groups }: GroupedReason): string {
  if (groups.length === 0) {
    return reason;
  }
  return `${groups.length === 1 ? groups[0] : counted(groups.length, 'group')}: ${reason}`;
}

/** The reasons of a pod in words, each once; none where the reasons are absent. */
export const reasonTexts = (reasons: readonly PodReason[] = []): readonly string[] =>
  groupedReasons(reasons).map(groupedReasonText);

/** Requirements that new nodes of these node groups do not meet: `asks for 48 CPU; a new node has 1.93`. */
export const unmetRequirementsText = ({ unmet }: Pick<GroupRejection, 'unmet'>): string => unmet.join('. Also ');

/** `Nearest: gpu, with the toleration nvidia.com/gpu`. */
export const nearestText = ({ group, remedy }: PodRejection['nearest']): string => `Nearest: ${group}, ${remedy}`;

/** Details in lines, the nearest node groups first. */
export const rejectionLines = ({ groups, nearest }: Omit<PodRejection, 'pods'>): readonly string[] => [
  ...groups.map((one) => `${firstNames(one.groups)}: ${unmetRequirementsText(one)}`),
  nearestText(nearest),
];

/** The details of each pod that has some. */
export const rejectionLinesByPod = (rejections: readonly PodRejection[]): ReadonlyMap<PodKey, readonly string[]> =>
  new Map(
    rejections.flatMap((one) => {
      const lines = rejectionLines(one);
      return one.pods.map((pod) => [pod, lines] as const);
    }),
  );
