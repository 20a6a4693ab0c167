import type { Decision } from '../../core/model/decision.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Decided } from '../../core/reconcile/next-write.ts';
import type { Cluster } from '../shared/world.ts';

/**
 * Decides, and removes no node of a group that the cloud is updating: its new nodes are empty for a while, and EKS relies on
 * them. The cloud answers group by group, so only those are asked about that would lose a node. One that turns out to be updating
 * makes a new decision, which may remove other nodes instead; the number of groups bounds that.
 */
export async function decideBesideUpdates(
  decide: (scenario: Scenario) => Decision,
  groups: Cluster['groups'],
  observed: Scenario,
  signal: AbortSignal,
): Promise<Pick<Decided, 'scenario' | 'decision'>> {
  let { nodeGroups } = observed;
  let decision = decide(observed);
  const asked = new Set<GroupName>();
  for (;;) {
    const losing = new Set(decision.scaleDown.removals.map(({ group }) => group).filter((name) => !asked.has(name)));
    if (losing.size === 0) {
      return { scenario: { ...observed, nodeGroups }, decision };
    }
    losing.forEach((name) => asked.add(name));
    nodeGroups = await groups.withUpdates(nodeGroups, losing, signal);
    if (nodeGroups.some(({ name, updating }) => updating && losing.has(name))) {
      decision = decide({ ...observed, nodeGroups });
    }
  }
}
