import type { Decision, PodFit } from './model/decision.ts';
import type { NodeName } from './model/names.ts';
import { ordered } from './model/ordered.ts';
import { keyOf } from './model/pod.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedRecord } from './model/sorted.ts';
import { buildRegistry, inOrder } from './registry/registry.ts';
import { decideScaleDown } from './scaledown/scale-down.ts';
import { isPending } from './scaleup/pods/pending.ts';
import { decideScaleUp } from './scaleup/scale-up.ts';
import { clusterSnapshot, homeOf } from './scheduling/cluster-snapshot.ts';
import { createScheduler } from './scheduling/scheduler.ts';

/** Decides what the cluster needs. Pure: the same scenario gives the same decision, whatever the order of its lists. */
export function evaluate(scenario: Scenario): Decision {
  const input = ordered(scenario);
  const registry = buildRegistry(input);
  const { scaleUp, toMin, picture, state: grown } = decideScaleUp(input, registry);
  const { scaleDown, state } = decideScaleDown({ scenario: input, registry, scaleUp, picture, state: grown });
  return {
    name: input.name,
    scaleUp,
    scaleDown,
    registry: { ...registry.report, repairs: inOrder([...registry.report.repairs, ...toMin]) },
    state,
  };
}

/** For every pending pod: what kube-scheduler says to each node that is there. Nodes on their way are not asked. */
export function fit(scenario: Scenario): readonly PodFit[] {
  const { objects, options } = ordered(scenario);
  const snapshot = clusterSnapshot(objects, []);
  const scheduler = createScheduler(snapshot, objects);
  const pending = objects.pods.filter((pod) => isPending(pod, options));
  return pending.map((pod) => {
    const kind = snapshot.kindOf(pod);
    const home = homeOf(pod);
    const nominated = home === null ? undefined : snapshot.byName(home);
    snapshot.fork();
    if (nominated !== undefined) {
      // It counts on the node that preemption clears for it, but not against itself.
      snapshot.remove(kind, nominated);
    }
    const verdicts = snapshot.nodes.flatMap((info): [NodeName, string][] =>
      info === null ? [] : [[info.name, scheduler.check(kind, info)?.plugin ?? 'ok']],
    );
    snapshot.revert();
    return { pod: keyOf(pod), nodes: sortedRecord(verdicts) };
  });
}
