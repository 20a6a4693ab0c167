import type { Removal, Unremovable } from '@outrigger/core/model/decision.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { itemAt, lastItem } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import type { Life, LifeStretch as StretchOfLife } from '@outrigger/simulation/recording/lives.ts';
import { untilEnd } from './samples.ts';
import { NODE_STATES, type NodeState, type NodePhase, STATE_NAMES, type SeriesOfReport } from './report.ts';

const RANK: readonly NodeState[] = ['leaving', 'booting', 'unneeded', 'used', 'idle'];

/** The state that is shown where several hold. */
export const shownState = (holds: (state: NodeState) => boolean): NodeState | undefined => RANK.find(holds);

/** The life of an instance as phases, one after the other. */
export function phasesOf(life: Life, end: number): readonly NodePhase[] {
  const { launched, ready, gone, used, unneeded, leaving } = life;
  const until = gone ?? end;
  const holds: Readonly<Record<NodeState, readonly StretchOfLife[]>> = {
    leaving,
    booting: presentItems([launched]).map((from) => ({ from, to: ready ?? until })),
    unneeded,
    used,
    idle: [{ from: launched ?? 0, to: until }],
  };
  const edges = [...new Set(Object.values(holds).flatMap((all) => all.flatMap(({ from, to }) => [from, to])))]
    .filter((at) => at <= until)
    .toSorted((a, b) => a - b);
  const phases: NodePhase[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const to = itemAt(edges, index + 1);
    const state = shownState((one) => holds[one].some((stretch) => stretch.from <= from && stretch.to >= to));
    const last = phases.at(-1);
    if (state !== undefined && last?.state === state && last.to === from) {
      phases[phases.length - 1] = { ...last, to };
    } else if (state !== undefined) {
      phases.push({ state, from, to });
    }
  }
  return phases;
}

/** How a node was removed. @param pods that had to move */
export const removedText = (kind: Removal['kind'], pods: number): string =>
  kind === 'empty' ? 'removed empty' : `drained of ${counted(pods, 'pod')}`;

/** How a life ended, or by `whyStays` why its node is there still; empty where nothing is known. */
export function lifeNote(
  { node: name, removal, gone }: Life,
  staying: readonly Unremovable[],
  whyStays: (stays: Unremovable) => string,
): string {
  if (removal !== null) {
    return removedText(removal.kind, removal.pods);
  }
  if (gone !== null) {
    return 'terminated';
  }
  return (
    mapOptional(
      staying.find(({ node }) => node === name),
      whyStays,
    ) ?? ''
  );
}

/** The number of nodes in each state over time. */
export const nodeSeries = (
  nodes: readonly { readonly phases: readonly NodePhase[] }[],
  end: number,
): readonly SeriesOfReport[] =>
  NODE_STATES.map((state) => ({
    name: STATE_NAMES[state],
    tone: state,
    points: stepsOf(
      nodes.flatMap(({ phases }) =>
        phases
          .filter((phase) => phase.state === state)
          .flatMap(({ from, to }) => [
            { at: from, by: 1 },
            { at: to, by: -1 },
          ])
          // A phase that lasts until the end does not end there.
          .filter(({ at, by }) => by > 0 || at < end),
      ),
      end,
    ),
  }));

export interface Change {
  readonly at: number;
  readonly by: number;
}

/** A value over time from its changes: a point for each change, and a point for the end. */
export function stepsOf(changes: readonly Change[], end: number): readonly (readonly [number, number])[] {
  const points: [number, number][] = [[0, 0]];
  for (const { at, by } of changes.toSorted((a, b) => a.at - b.at)) {
    const last = lastItem(points);
    const value = Number((last[1] + by).toFixed(6));
    if (last[0] === at) {
      last[1] = value;
    } else {
      points.push([at, value]);
    }
  }
  return untilEnd(points, end);
}
