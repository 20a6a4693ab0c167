import { type Node, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import { keyOf, type Pod } from '../../../../core/model/cluster/pod.ts';
import { NO_OBJECTS } from '../../../../core/model/scenario.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { CountTable } from '../../../../core/scheduling/counts/count-table.ts';
import { OwnerCounts, ownerOf } from '../../../../simulation/cluster/scoring/owner-counts.ts';
import type { ScorePlugin } from '../../../../simulation/cluster/scoring/score-plugin.ts';
import { node } from '../../../builders.ts';

/**
 * Scores of every node for a pod by one plugin, by the node's name; `null` where it likes all alike.
 *
 * @param bound pods by the name of their node.
 */
export function scoresOf(
  { prepare }: ScorePlugin,
  pod: Pod,
  nodes: readonly Node[],
  bound: Readonly<Record<string, readonly Pod[]>> = {},
  kubernetesMinor?: number,
): Readonly<Record<string, number>> | null {
  const all = [pod, ...Object.values(bound).flat()];
  expectNamesOnce(all);
  const snapshot = clusterSnapshot({ ...NO_OBJECTS, nodes }, all);
  const owners = new OwnerCounts();
  const compile = prepare({
    snapshot,
    objects: { ...NO_OBJECTS, kubernetesMinor },
    counts: new CountTable(snapshot),
    owners,
  });
  for (const info of snapshot.nodes) {
    for (const other of bound[info!.name] ?? []) {
      snapshot.place(snapshot.kindOf(other), info!);
      owners.add(ownerOf(other), info!, 1);
    }
  }
  const score = compile({ kind: snapshot.kindOf(pod), owner: ownerOf(pod) });
  if (score === null) {
    return null;
  }
  const infos = snapshot.nodes.map((info) => info!);
  const scores = new Float64Array(infos.length);
  score(infos, scores);
  return Object.fromEntries(infos.map(({ name }, i) => [name, scores[i]!]));
}

function expectNamesOnce(pods: readonly Pod[]): void {
  if (new Set(pods.map(keyOf)).size < pods.length) {
    throw new Error('two pods of the same name');
  }
}

export const inZone = (name: string, zone: string) => node(name, { cpu: 8 }, { labels: { [ZONE_LABEL]: zone } });
