import { isDaemon, isFinished, isMirror, keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { leastCost } from '@outrigger/core/nodegroups/least-cost.ts';
import { addSample, forgetSamples, type SampledValue } from './samples.ts';

/** Follows what the pods of a cluster need at least, which the cost of its nodes is compared with. */
export interface Needs {
  readonly take: (scenario: Scenario, decision: Decision) => void;
  /** USD per hour, where it changed; none while a node group has no price. */
  readonly samples: readonly SampledValue[];
  /** Forgets what was before. */
  readonly forget: (before: number) => void;
}

export function createNeeds(): Needs {
  const samples: SampledValue[] = [];
  return {
    take: (scenario, decision) => {
      // Only scale-up looks at the pods that wait.
      if (decision.evaluation === 'ScaleDown') {
        return;
      }
      const cost = leastCost(scenario, podsInNeed(scenario, decision));
      if (cost !== null) {
        addSample(samples, scenario.now, Number(cost.toFixed(6)));
      }
    },
    samples,
    forget: (before) => forgetSamples(samples, before),
  };
}

/** The pods on nodes of the groups, and pending pods; without DaemonSets' pods and terminating pods. */
function podsInNeed({ nodeGroups, objects }: Scenario, { scaleUp }: Decision): readonly Pod[] {
  const nodes = new Set(nodeGroups.flatMap((group) => group.nodes));
  const placed = scaleUp.pods.filter(({ outcome }) => outcome !== 'Ignored' && outcome !== 'Unschedulable');
  const waiting = new Set(placed.map(({ pod }) => pod));
  return objects.pods.filter(
    (pod) =>
      (pod.nodeName === null ? waiting.has(keyOf(pod)) : nodes.has(pod.nodeName)) &&
      pod.deletedAt === null &&
      !isDaemon(pod) &&
      !isMirror(pod) &&
      !isFinished(pod),
  );
}
