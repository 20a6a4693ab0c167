import { getOptional } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ObservedNode, ObservedPeriod, ObservedPod } from '../history/observed.ts';
import { bootsByGroup, spanOf } from './groups.ts';

/** An observed node from its launch to its end, in seconds from the start of the period. */
export interface StretchOfNode extends Pick<ObservedNode, 'node' | 'group'> {
  readonly from: number;
  readonly to: number;
}

/** The nodes of a period. The launch of an instance is known by the boot times of its group. */
export function nodeStretches(period: ObservedPeriod): readonly StretchOfNode[] {
  const { since, until, nodes } = period;
  const boots = bootsByGroup(period);
  const inSeconds = (at: EpochMs | null): number => ((at ?? until) - since) / 1_000;
  return nodes.map(({ node, group, registeredAt, end }) => {
    const { min, max } = spanOf(getOptional(boots, group)?.boot ?? []) ?? { min: 0, max: 0 };
    const from = registeredAt === null ? 0 : Math.max(0, inSeconds(registeredAt) - (min + max) / 2_000);
    return { node, group, from, to: inSeconds(end) };
  });
}

/** The time of a pod on a node, in seconds from the start of the period; without length if the pod ended before. */
export function timeOn(
  { startedAt, createdAt, end }: ObservedPod,
  { from, to }: StretchOfNode,
  { since, until }: ObservedPeriod,
): { readonly from: number; readonly to: number } {
  const begin = Math.max(from, ((startedAt ?? createdAt) - since) / 1_000);
  return { from: begin, to: Math.max(begin, Math.min(to, ((end ?? until) - since) / 1_000)) };
}
