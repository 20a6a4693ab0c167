import type { Decision } from '@outrigger/core/model/decision.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { DecidedScenario } from '@outrigger/core/actuation/commit/next-write.ts';
import { groupsToCheck, conflictsWithCloud } from '@outrigger/core/scaledown/cloud-actions.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Decides, removes no node of a group that the cloud is updating, and repairs none that the cloud repairs. The number of groups bounds
 * the number of decisions.
 *
 * @returns the scenario that the decision was made from, too.
 */
export async function decideBesideCloudActions(
  { cluster: { groups }, signal }: ClusterRun,
  decide: (scenario: Scenario) => Decision,
  observed: Scenario,
): Promise<Pick<DecidedScenario, 'scenario' | 'decision'>> {
  let scenario = observed;
  let { nodeGroups } = observed;
  let decision = decide(observed);
  const checked = new Set<GroupName>();
  for (;;) {
    const unknown = groupsToCheck(decision, observed, checked);
    if (unknown.size === 0) {
      return { scenario, decision };
    }
    unknown.forEach((name) => checked.add(name));
    nodeGroups = await groups.withCloudActions(nodeGroups, unknown, signal);
    const told = { ...observed, nodeGroups };
    if (conflictsWithCloud(decision, told)) {
      scenario = told;
      decision = decide(told);
    }
  }
}
