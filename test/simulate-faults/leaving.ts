import type { Decision } from '../../core/model/decision.ts';
import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import type { Scenario } from '../../core/model/scenario.ts';

/** Nodes that a decision takes to leave since the cloud ends their instances; `onlyAnnouncedLeave` checks that it does. */
export const leavingNodes = ({ departures = [] }: Decision): ReadonlySet<NodeName> =>
  new Set(departures.map(({ node }) => node));

/** What these nodes have that needs a new place. */
export const leavingPods = ({ objects: { pods } }: Scenario, nodes: ReadonlySet<NodeName>): readonly Pod[] =>
  pods.filter((pod) => pod.nodeName !== null && nodes.has(pod.nodeName) && !isDaemon(pod) && !isFinished(pod));
