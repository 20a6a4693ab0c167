import { isolated } from './isolation/isolated.ts';
import { NOTHING_ASIDE, without } from './isolation/set-aside.ts';
import { carriedOver, failedRegistry, failedScaleDown, failedScaleUp, withSetAside } from './isolation/stand-ins.ts';
import type { Decision, PodFit } from './model/decision.ts';
import type { NodeName } from './model/names.ts';
import { ordered } from './model/ordered.ts';
import { keyOf, type Pod } from './model/pod.ts';
import { about } from './model/fault.ts';
import type { Snapshot } from './model/snapshot/snapshot.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedRecord } from './model/sorted.ts';
import { buildRegistry, inOrder } from './registry/registry.ts';
import { decideScaleDown } from './scaledown/scale-down.ts';
import { isPending } from './scaleup/pods/pending.ts';
import { decideScaleUp, simulatedCluster } from './scaleup/scale-up.ts';
import { clusterSnapshot, homeOf } from './scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts';

/**
 * Decides what the cluster needs. Pure: the same scenario gives the same decision, whatever the order of its lists.
 *
 * Never throws. A mistake of the program that shows in one pod, node, group or rule is kept to that: it is set aside,
 * the rest is decided, and `unexpectedErrors` tells (decision 15). Where scale-up or scale-down fails as a whole, the
 * other is decided all the same, and the failed one's state stays as it was.
 */
export function evaluate(scenario: Scenario): Decision {
  const inOrderOf = remembered(ordered);
  const registered = isolated(scenario, 'Registry', NOTHING_ASIDE, (rest) => buildRegistry(inOrderOf(rest)));
  if (registered.value === null) {
    return failedRegistry(scenario, registered.errors);
  }
  const registry = carriedOver(registered.value, scenario, registered.aside);
  const grown = isolated(scenario, 'ScaleUp', registered.aside, (rest) => decideScaleUp(inOrderOf(rest), registry));
  const up = grown.value ?? failedScaleUp(scenario, registry);
  let cluster = grown.value?.cluster ?? null;
  const shrunk = isolated(scenario, 'ScaleDown', grown.aside, (rest) => {
    const input = inOrderOf(rest);
    // What an attempt before this one has done to its cluster is not known: it is made anew.
    const { value } = grown;
    const fresh =
      cluster ??
      (value === null
        ? simulatedCluster(input)
        : decideScaleUp(inOrderOf(without(scenario, grown.aside)), registry).cluster);
    cluster = null;
    return decideScaleDown({ scenario: input, registry, scaleUp: up.scaleUp, cluster: fresh, state: up.state });
  });
  const down = shrunk.value ?? failedScaleDown(up.state);
  return withSetAside(
    {
      name: scenario.name,
      scaleUp: up.scaleUp,
      scaleDown: down.scaleDown,
      registry: { ...registry.report, repairs: inOrder([...registry.report.repairs, ...up.toMin]) },
      state: down.state,
    },
    scenario,
    { scaleUp: grown.aside, scaleDown: shrunk.aside },
    [...registered.errors, ...grown.errors, ...shrunk.errors, ...(shrunk.value?.faults ?? [])],
  );
}

/** Remembers the last answer: without anything set aside, every part asks the same. */
function remembered<A extends object, B>(of: (given: A) => B): (given: A) => B {
  let last: { readonly given: A; readonly answer: B } | null = null;
  return (given) => {
    last = last?.given === given ? last : { given, answer: of(given) };
    return last.answer;
  };
}

/**
 * The decision with what kube-scheduler says, for every pending pod, to each node that is there. Nodes on their way are
 * not asked. As in `evaluate`, a mistake of the program is kept to what it is about.
 */
export function withFit(decision: Decision, scenario: Scenario): Decision {
  const { value, errors } = isolated(scenario, 'Fit', NOTHING_ASIDE, (rest) => fit(rest));
  return {
    ...decision,
    fit: value ?? [],
    ...(errors.length === 0 ? {} : { unexpectedErrors: [...(decision.unexpectedErrors ?? []), ...errors] }),
  };
}

/** For every pending pod: what kube-scheduler says to each node that is there. */
export function fit(scenario: Scenario): readonly PodFit[] {
  const { objects, options } = ordered(scenario);
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
    // It counts on the node that preemption clears for it, but not against itself.
    snapshot.remove(kind, nominated);
  }
  const verdicts = snapshot.nodes.flatMap((info): [NodeName, string][] =>
    info === null ? [] : [[info.name, scheduler.check(kind, info)?.plugin ?? 'ok']],
  );
  snapshot.revert();
  return { pod: keyOf(pod), nodes: sortedRecord(verdicts) };
}
