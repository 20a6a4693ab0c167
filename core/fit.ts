import { nonEmpty } from './model/values/present.ts';
import { isolateFaults } from './model/isolation/isolate-faults.ts';
import { EMPTY_QUARANTINE } from './model/isolation/quarantine.ts';
import type { Decision, PodFit } from './model/decision.ts';
import type { NodeName } from './model/values/names.ts';
import { ordered } from './model/ordered.ts';
import { withBoundedTerms } from './scheduling/bounded-terms.ts';
import { keyOf, type Pod } from './model/cluster/pod.ts';
import { about } from './model/fault.ts';
import type { Snapshot } from './model/snapshot/snapshot.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedRecord } from './model/values/sorted.ts';
import { isPending } from './model/pod-wait.ts';
import { clusterSnapshot, homeOf } from './scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts';

/**
 * The decision with what kube-scheduler says, for every pending pod, to each node that is there. Nodes on their way are
 * not asked. As in `evaluate`, a mistake of the program is kept to what it is about.
 */
export function withFit(decision: Decision, scenario: Scenario): Decision {
  const { value, errors } = isolateFaults(scenario, 'Fit', EMPTY_QUARANTINE, (rest) => fit(rest));
  const unexpectedErrors = [...(decision.unexpectedErrors ?? []), ...errors];
  return { ...decision, fit: value ?? [], ...nonEmpty({ unexpectedErrors }) };
}

/** For every pending pod: kube-scheduler's verdict on each existing node. */
export function fit(scenario: Scenario): readonly PodFit[] {
  const { objects, options } = ordered({ ...scenario, objects: withBoundedTerms(scenario.objects) });
  const snapshot = clusterSnapshot(objects, []);
  const scheduler = createScheduler(snapshot, objects);
  const pending = objects.pods.filter((pod) => isPending(pod, options));
  return pending.map((pod) => about({ kind: 'pod', pod }, () => fitOf(pod, snapshot, scheduler)));
}

function fitOf(pod: Pod, snapshot: Snapshot, scheduler: Scheduler): PodFit {
  const kind = snapshot.kindOf(pod);
  const home = homeOf(pod);
  const nominated = home === null ? undefined : snapshot.byName(home);
  snapshot.fork();
  if (nominated !== undefined) {
    // The pod counts on the node that preemption clears for it, but not against itself.
    snapshot.remove(kind, nominated);
  }
  const verdicts = snapshot.nodes
    .filter((info) => info !== null)
    .map((info): [NodeName, string] => [info.name, scheduler.check(kind, info)?.plugin ?? 'ok']);
  snapshot.revert();
  return { pod: keyOf(pod), nodes: sortedRecord(verdicts) };
}
