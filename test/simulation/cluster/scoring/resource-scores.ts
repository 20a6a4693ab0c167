import type { nodeResourcesFitScore } from '../../../../simulation/cluster/scoring/NodeResourcesFit.ts';
import { node, pod, type Amounts } from '../../../builders.ts';
import { scoresOf } from './scores.ts';

export interface Row {
  readonly what: string;
  readonly requests: Amounts;
  readonly nodes: Readonly<Record<string, Amounts>>;
  readonly bound?: Readonly<Record<string, readonly Amounts[]>>;
  readonly expected: Readonly<Record<string, number>> | null;
}

export const score = (
  plugin: typeof nodeResourcesFitScore,
  { requests, nodes, bound = {} }: Row,
  kubernetesMinor?: number,
) =>
  scoresOf(
    plugin,
    pod('p', { requests }),
    Object.entries(nodes).map(([name, amounts]) => node(name, amounts)),
    Object.fromEntries(
      Object.entries(bound).map(([name, all]) => [name, all.map((each, i) => pod(`${name}-${i}`, { requests: each }))]),
    ),
    kubernetesMinor,
  );
