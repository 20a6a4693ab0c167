import type { Increase, Repair, ScaleUpDecision, ScaleUpResult, SkippedGroup } from '../model/decision.ts';
import { withoutExpendable } from '../model/expendable.ts';
import type { GroupName, NodeName } from '../model/names.ts';
import { groupOption } from '../model/node-group.ts';
import type { Pod } from '../model/pod.ts';
import { addResources, NO_RESOURCES, type Resources } from '../model/resources.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import { sortedBy, sortedPods, sortedRecord } from '../model/sorted.ts';
import type { ScaleUpRequest, State } from '../model/state.ts';
import { addTime } from '../model/time.ts';
import { isReady } from '../registry/readiness.ts';
import type { Registry } from '../registry/registry.ts';
import { clusterSnapshot } from '../scheduling/cluster-snapshot.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { createScheduler } from '../scheduling/scheduler.ts';
import { bestPlan } from './optimizer/best-plan.ts';
import { type Demand, rowsOf } from '../estimator/demand.ts';
import { fitExisting } from './reservations/fit-existing.ts';
import { increasesToMin } from './min-size.ts';
import { outcomesOf, type Refusal } from './pods/outcomes.ts';
import { emptyUpcoming, methodsOf, packingAfter, spareOf } from './reservations/reserved-packing.ts';
import { cooldownOf, isPending, pendingPods, waitOf } from './pods/pending.ts';
import type { Plan } from './orchestrator/salvo.ts';
import { reservedBy, reservationsOf } from './reservations/reservations.ts';
import { recreated } from './pods/recreated.ts';
import { type GroupTemplate, groupTemplates } from '../nodegroups/node-templates.ts';
import { daemonsLeftOut, withRoomFor } from '../nodegroups/daemon-room.ts';
import { addUpcomingNodes } from '../nodegroups/upcoming.ts';

/**
 * Decides which groups grow, and what to remember of it.
 *
 * @param scenario with its lists in order (`model/ordered.ts`).
 * @returns `toMin`: groups below their minimum are raised besides, whatever waits. `cluster`: the cluster with all of
 *   that, for whoever decides next.
 */
export function decideScaleUp(
  scenario: Scenario,
  registry: Registry,
): {
  readonly scaleUp: ScaleUpDecision;
  readonly toMin: readonly Repair[];
  readonly cluster: SimulatedCluster;
  readonly state: State;
} {
  const { options } = scenario;
  const { objects, drained, evicted } = recreated(scenario);
  const templates = withRoomFor(wantingPods(scenario, drained), groupTemplates(scenario));
  const counted = { ...objects, pods: withoutExpendable(objects.pods, options) };
  const snapshot = clusterSnapshot(
    counted,
    [...[...templates.values()].flatMap(({ pods }) => pods), ...drained, ...evicted],
    groupOfNodes(scenario),
    scenario.state.unneededSince,
  );
  const upcoming = addUpcomingNodes(snapshot, scenario, registry, templates);
  const all = drained.length === 0 ? objects.pods : sortedPods([...objects.pods, ...drained]);
  const pending = pendingPods(all, snapshot, scenario);
  const scheduler = createScheduler(snapshot, objects);
  // Those that are pending come before those that are yet to be: first ones are served first.
  const demands = rowsOf(pending, pendingPods(evicted, snapshot, scenario));
  const upcomingNodes = emptyUpcoming(snapshot, registry);
  const spare = spareOf(upcomingNodes, scenario.state);
  const fitInput = { snapshot, scheduler, demands, templates, spare, reference: typicalNode(templates) };
  const methods = methodsOf(scenario.state, snapshot, demands);
  snapshot.fork();
  const fitted = fitExisting({
    ...fitInput,
    reservations: reservationsOf(scenario.state, snapshot, demands),
    methods,
  });
  const { left, placements } = fitted;
  const refusal = refusalOf(scenario, registry, snapshot, left);
  const decided =
    left.length === 0 || refusal !== null
      ? null
      : bestPlan({
          plan: { scenario: repaired(scenario, registry), registry, snapshot, scheduler, templates, demands: left },
          fit: fitInput,
          fitted,
          upcoming: upcomingNodes,
        });
  snapshot.commit();
  const plan = decided?.plan ?? NO_PLAN;
  const leftOut = daemonsLeftOut(templates.values());
  const toMin = increasesToMin(scenario, registry, snapshot, templates, plan.increases);
  return {
    scaleUp: {
      result: refusal?.result ?? resultOf(plan, left.length > 0),
      increases: plan.increases,
      pods: outcomesOf(pending, demands, left, plan, refusal),
      upcoming,
      skippedGroups: withSkipped(plan.skipped, toMin.skipped),
      ...(leftOut.length > 0 && { daemonsLeftOut: leftOut }),
      considered: plan.considered,
      plan: plan.increases.length === 0 ? null : (decided?.report ?? null),
      predicted: decided?.predicted ?? null,
    },
    toMin: toMin.raised,
    cluster: { snapshot, scheduler, objects: counted },
    state: {
      ...nextState(scenario, registry.state, [...plan.increases, ...toMin.raised]),
      reservations: reservedBy(snapshot, [...placements, ...plan.placements]),
      reservedPacking: packingAfter(fitted.anew ? new Map() : methods, snapshot, decided, spare, [
        ...placements,
        ...plan.placements,
      ]),
    },
  };
}

/** Those that a scale-up may be for: the same that `pendingPods` finds, before there is a snapshot. */
const wantingPods = ({ objects, options, now }: Scenario, drained: readonly Pod[]): readonly Pod[] =>
  [...objects.pods, ...drained].filter(
    (pod) => pod.nodeName === null && isPending(pod, options) && waitOf(pod, options, now).kind === 'wants',
  );

/** The cluster as it is, without anything of a scale-up: for a scale-down when that has failed. */
export function simulatedCluster(scenario: Scenario): SimulatedCluster {
  const { objects } = recreated(scenario);
  const counted = { ...objects, pods: withoutExpendable(objects.pods, scenario.options) };
  const snapshot = clusterSnapshot(counted, [], groupOfNodes(scenario), scenario.state.unneededSince);
  return { snapshot, scheduler: createScheduler(snapshot, objects), objects: counted };
}

const NO_PLAN: Plan = { increases: [], skipped: [], considered: [], placements: [], left: [] };

/** One entry for each group: why it cannot grow comes before why it stays below its minimum. */
function withSkipped(skipped: readonly SkippedGroup[], more: readonly SkippedGroup[]): readonly SkippedGroup[] {
  const known = new Set(skipped.map(({ group }) => group));
  return sortedBy([...skipped, ...more.filter(({ group }) => !known.has(group))], ({ group }) => group);
}

/** The groups with the sizes that their repairs leave them: repairs are made before increases. */
const repaired = (scenario: Scenario, { groups }: Registry): Scenario => ({
  ...scenario,
  nodeGroups: scenario.nodeGroups.map((group) => ({
    ...group,
    targetSize: groups.get(group.name)?.target ?? group.targetSize,
  })),
});

function groupOfNodes({ nodeGroups }: Scenario): (node: NodeName) => GroupName | null {
  const groups = new Map(nodeGroups.flatMap(({ name, nodes }) => nodes.map((node) => [node, name] as const)));
  return (node) => groups.get(node) ?? null;
}

/** What a pod's size is measured against where no particular group is in question. */
function typicalNode(templates: ReadonlyMap<GroupName, GroupTemplate>): Resources {
  return [...templates.values()].reduce((sum, { node }) => addResources(sum, node.allocatable), NO_RESOURCES);
}

/**
 * Why no group is even looked at; `null` when they are, or when nothing is wanted of them. An unhealthy cluster says so
 * first.
 */
function refusalOf(
  { objects, options, now }: Scenario,
  registry: Registry,
  snapshot: Snapshot,
  left: readonly Demand[],
): Refusal | null {
  if (!registry.report.clusterHealthy) {
    return { result: 'ClusterUnhealthy', reason: 'the cluster is unhealthy' };
  }
  if (left.length === 0) {
    return null;
  }
  if (!options.scaleUpFromZero && !objects.nodes.some((node) => isReady(node, options))) {
    return { result: 'NotTried', reason: 'the cluster has no ready node, and scaleUpFromZero is off' };
  }
  if (options.maxNodesTotal > 0 && snapshot.nodeCount >= options.maxNodesTotal) {
    return { result: 'Limited', reason: 'max total nodes in cluster reached' };
  }
  const cooldown = cooldownOf(left, options, now);
  return cooldown === null ? null : { result: 'Cooldown', reason: cooldown };
}

function resultOf(plan: Plan, needed: boolean): ScaleUpResult {
  if (plan.increases.length > 0) {
    return 'ScaledUp';
  }
  return needed ? 'NoOptions' : 'NotNeeded';
}

/**
 * Requests are registered with the decision, before any size is set; one more request for a group extends the first.
 */
function nextState({ options, nodeGroups, now }: Scenario, state: State, increases: readonly Increase[]): State {
  if (increases.length === 0) {
    return state;
  }
  const requests = new Map<GroupName, ScaleUpRequest>(state.scaleUpRequests.map((request) => [request.group, request]));
  const timeOf = new Map(nodeGroups.map((group) => [group.name, groupOption(options, group, 'maxNodeProvisionTime')]));
  const groups = new Map(Object.entries(state.groups) as [GroupName, State['groups'][GroupName]][]);
  for (const { group, from, to } of increases) {
    requests.set(group, {
      group,
      increase: (requests.get(group)?.increase ?? 0) + to - from,
      time: now,
      expectedAddTime: addTime(now, timeOf.get(group) ?? options.maxNodeProvisionTime),
    });
    groups.set(group, {
      lastScaleUp: now,
      lastScaleDownDelete: groups.get(group)?.lastScaleDownDelete ?? null,
      lastScaleDownFailure: groups.get(group)?.lastScaleDownFailure ?? null,
    });
  }
  return {
    ...state,
    scaleUpRequests: sortedBy([...requests.values()], ({ group }) => group),
    lastScaleUp: now,
    groups: sortedRecord(groups),
  };
}
