import { isolateFaults } from './model/isolation/isolate-faults.ts';
import { areNodesToCome } from './model/decision.ts';
import { nonEmpty, present } from './model/values/present.ts';
import { podToRequeue } from './placement/pod-to-requeue.ts';
import { nodeReleasesOf } from './placement/node-releases.ts';
import type { ScaleUpPlan } from './simulate-scale-up.ts';

/** The plan with the nodes that are opened for their planned pods now (`plannedPlacement`). Its snapshot is left as it is. */
export function withReleases(plan: ScaleUpPlan): ScaleUpPlan {
  const { scenario, simulated, scaleUp } = plan;
  if (simulated === null) {
    return plan;
  }
  const cluster = { ...simulated.cluster, ...simulated.placed };
  const { value, aside, errors } = isolateFaults(scenario, 'ScaleUp', plan.aside, (rest) => ({
    ...nodeReleasesOf(rest, cluster),
    // Nodes that await their pods are upcoming, too.
    requeued: areNodesToCome(scaleUp) ? null : podToRequeue(rest, cluster),
  }));
  const { releases = [], awaitingDevices = [], requeued = null } = value ?? {};
  return {
    ...plan,
    scaleUp: { ...scaleUp, ...nonEmpty({ releases, awaitingDevices }), ...present({ requeued }) },
    aside,
    errors: [...plan.errors, ...errors],
  };
}
