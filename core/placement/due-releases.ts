import { isHeld } from '../model/cluster/node-condition.ts';
import type { Decision } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import { readable } from '../model/fault.ts';
import { keyOf, type Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { addTime, type EpochMs, seconds } from '../model/values/time.ts';
import { isAwaiting, overdueNodes } from './held-nodes.ts';

/** A node to be released, and the pods to be nominated to it before. */
export interface DueRelease {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Pods come and go, and kube-scheduler goes on: a plan that is older is made anew before more is nominated by it. */
const FRESH = seconds(10);
/** A node that is not ready yet is looked at again after this, though no webhook notification comes. */
const LOOK_AGAIN = seconds(30);
/** One that is left to the next evaluation is looked at again after this. */
const GO_ON = seconds(1);

/**
 * What a decision releases, node by node. With it the nodes that should have been released before, without pods, where the
 * decision does not name them: scale-up may have failed as a whole.
 */
export function dueReleases(
  { objects, options, now }: Scenario,
  { scaleUp: { releases = [] } }: Pick<Decision, 'scaleUp'>,
): readonly DueRelease[] {
  const named = new Set(releases.map(({ node }) => node));
  const overdue = overdueNodes(objects.nodes, options, now).filter(({ name }) => !named.has(name));
  if (releases.length === 0) {
    return overdue.map((node) => ({ node, pods: [] }));
  }
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  const keys = new Set(releases.flatMap(({ pods }) => pods));
  const pods = new Map(
    objects.pods.flatMap((pod) => (pod.nodeName === null && keys.has(keyOf(pod)) ? [[keyOf(pod), pod] as const] : [])),
  );
  const planned = releases.flatMap(({ node: name, pods: of }): readonly DueRelease[] => {
    const node = nodes.get(name);
    return node === undefined ? [] : [{ node, pods: of.flatMap((key) => pods.get(key) ?? []) }];
  });
  return [...planned, ...overdue.map((node) => ({ node, pods: [] }))];
}

/** May pods still be nominated by this plan? */
export const isFresh = ({ now: madeAt }: Pick<Scenario, 'now'>, now: EpochMs): boolean =>
  now - madeAt <= FRESH && now >= madeAt;

/**
 * When to look again at nodes that are still held, whether a webhook notification comes or not; `null` where there are none.
 *
 * @param freed nodes that have been released since the scenario was observed.
 */
export function lookAgainAt(
  { objects, options }: Pick<Scenario, 'objects' | 'options'>,
  freed: ReadonlySet<Node>,
  now: EpochMs,
): EpochMs | null {
  const held = objects.nodes.filter((node) => readable(() => isHeld(node), false) && !freed.has(node));
  if (held.length === 0) {
    return null;
  }
  return addTime(now, held.some((node) => isAwaiting(node, options)) ? GO_ON : LOOK_AGAIN);
}
