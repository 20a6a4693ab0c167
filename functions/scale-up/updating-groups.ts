import type { Decision } from '../../core/model/decision.ts';
import type { GroupName } from '../../core/model/names.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Cluster } from '../shared/world.ts';

export interface Decided {
  readonly scenario: Scenario;
  readonly decision: Decision;
}

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
): Promise<Decided> {
  let scenario = observed;
  let decision = decide(scenario);
  const asked = new Set<GroupName>();
  for (;;) {
    const losing = new Set(decision.scaleDown.removals.map(({ group }) => group).filter((name) => !asked.has(name)));
    if (losing.size === 0) {
      return { scenario, decision };
    }
    losing.forEach((name) => asked.add(name));
    const nodeGroups = await groups.withUpdates(scenario.nodeGroups, losing, signal);
    if (nodeGroups.some(({ name, updating }) => updating && losing.has(name))) {
      scenario = { ...scenario, nodeGroups };
      decision = decide(scenario);
    }
  }
}
