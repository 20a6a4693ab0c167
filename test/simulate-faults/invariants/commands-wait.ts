import { withoutExpendable } from '../../../core/model/cluster/expendable.ts';
import type { Disruption } from '../../../core/model/disruption.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import { isDaemon, isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved, isCandidateTaint } from '../../../core/model/cluster/removal-taints.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { watchCommands } from '../commands.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { isOf, poolOfNode, type Pool } from '../pools.ts';
import { unitsOf } from '../truth.ts';
import { watchWhatIsSo } from '../what-is-so.ts';
import type { Invariant, Stage } from './invariant.ts';

const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** After that a soft taint is off a node that nothing is to be done about. */
const LONGEST = minutes(10);

/**
 * A node that waits for its replacement is left alone until its pods have places on nodes that have been ready, and on which,
 * if they came since, the DaemonSet's pod has run. None begins to wait while a pod of it must complete. One whose replacement was
 * given up is in the end as it was before.
 */
export const commandsWait: Invariant = {
  name: 'nothing is moved before its replacement is ready',
  judgesOn: ['aws', 'clusterapi'],
  watch: (stage, violate, judge) => {
    const { scenario, world, remembered, drains } = stage;
    const { api, clock } = world;
    const changesOf = watchCommands(stage);
    const whatIsSo = watchWhatIsSo(stage);
    const hasRun = watchReady(stage);
    /** What is wrong with the removals of decisions, by the states that they lead to. */
    const deciding = new WeakMap<State, ReadonlyMap<NodeName, string>>();
    const givenUp = new Map<NodeName, EpochMs>();
    return {
      event: hasRun.event,
      decided: (told, decision) => {
        const known = new Set(told.state.disruptions?.flatMap(({ nodes }) => nodes));
        const begun = (decision.state.disruptions ?? []).flatMap(({ nodes }) => nodes.filter((one) => !known.has(one)));
        const kept = begun.length === 0 ? undefined : podThatMustComplete(told, begun, world);
        if (kept !== undefined) {
          violate(`${kept.nodeName} begins to wait for its replacement, and ${kept.name} must complete first`);
        }
        const going = commandsOf(told, decision);
        if (going.length > 0) {
          const seen = whatIsSo(told);
          const wrong = going.flatMap(({ command, nodes }) => {
            const why = whyTooEarly(command, nodes, { seen, decision, pools: scenario.pools, isGood: hasRun.isGood });
            return why === null ? [] : nodes.map((node) => [node, why] as const);
          });
          deciding.set(decision.state, new Map(wrong));
        }
      },
      committed: ({ state, intents }) => {
        const changes = changesOf(intents);
        for (const { nodes } of changes.carriedOut) {
          judge(false);
          const why = nodes.map((node) => deciding.get(state)?.get(node)).find((one) => one !== undefined);
          if (why !== undefined) {
            violate(why);
          }
        }
        changes.givenUp.forEach(({ nodes }) => nodes.forEach((node) => givenUp.set(node, clock.now())));
        changes.begun.forEach(({ nodes }) => nodes.forEach((node) => givenUp.delete(node)));
      },
      drain: ({ drain }, before) => {
        const command = remembered()?.state.disruptions?.find(({ nodes }) => nodes.includes(drain.node));
        if (before === null && drain.notice === undefined && command !== undefined && command.since < drain.createdAt) {
          violate(`drain ${drain.id} begins while ${drain.node} waits for its replacement`);
        }
      },
      ended: () => {
        const { unneededSince = {}, disruptions = [] } = remembered()?.state ?? {};
        const busy = new Set<NodeName>([
          ...drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)),
          ...disruptions.flatMap(({ nodes }) => nodes),
          ...(Object.keys(unneededSince) as NodeName[]),
        ]);
        const marked = [...givenUp].filter(
          ([node, at]) =>
            clock.now() - at > LONGEST &&
            !busy.has(node) &&
            api.nodes.get(node)?.taints.some(isCandidateTaint) === true,
        );
        if (marked.length > 0) {
          violate(
            `in the end ${marked.map(([node]) => node).join(', ')} still bear the taint of a replacement given up`,
          );
        }
      },
    };
  },
};

/** The first pod that was seen on one of these nodes and must complete there: by its annotation, or for the age of its Job. */
const podThatMustComplete = (
  { objects, options, now }: Scenario,
  nodes: readonly NodeName[],
  { api }: Stage['world'],
): Pod | undefined =>
  withoutExpendable(objects.pods, options)
    .filter(({ nodeName }) => nodeName !== null && nodes.includes(nodeName))
    .flatMap((seen) => {
      const pod = api.pods.get(keyOf(seen));
      return pod?.uid === seen.uid && pod.deletedAt === null && !isFinished(pod) ? pod : [];
    })
    .find(({ annotations: { [SAFE_TO_EVICT]: said }, controller, startedAt }) =>
      said === undefined
        ? controller?.kind === 'Job' &&
          startedAt !== null &&
          options.jobProtectionAge > 0 &&
          now - startedAt > options.jobProtectionAge
        : said === 'on-completion',
    );

/** The commands whose nodes a decision removes, and which of them. */
const commandsOf = (
  { state: { disruptions = [] } }: Scenario,
  { scaleDown: { removals } }: Decision,
): readonly { readonly command: Disruption; readonly nodes: readonly NodeName[] }[] =>
  disruptions.flatMap((command) => {
    const nodes = removals.flatMap(({ node, reason }) =>
      command.nodes.includes(node) && reason === command.reason ? node : [],
    );
    return nodes.length === 0 ? [] : [{ command, nodes }];
  });

interface About {
  readonly seen: Scenario;
  readonly decision: Decision;
  readonly pools: readonly Pool[];
  /** Has the node been ready, with its DaemonSet's pod if it came since then? */
  readonly isGood: (node: Node, since: EpochMs) => boolean;
}

/** Why the pods of these nodes have no places yet, in words; `null` where they have. */
function whyTooEarly(
  { nodes: all, since }: Disruption,
  nodes: readonly NodeName[],
  { seen: { objects, options, state }, decision, pools, isGood }: About,
): string | null {
  const closed = new Set<NodeName>([
    ...(state.disruptions ?? []).filter((one) => !isTooDear(one, decision)).flatMap((one) => one.nodes),
    ...state.deletionsInProgress.map(({ node }) => node),
    ...decision.scaleDown.removals.map(({ node }) => node),
  ]);
  const pods = withoutExpendable(objects.pods, options);
  const isToMove = (pod: Pod): boolean =>
    pod.nodeName !== null &&
    nodes.includes(pod.nodeName) &&
    // None is made in the place of one without a controller.
    pod.controller !== null &&
    !isDaemon(pod) &&
    !isFinished(pod) &&
    pod.deletedAt === null &&
    pod.spec.tolerations.length === 0;
  for (const pool of pools) {
    const sizes = pods.filter((pod) => isOf(pool, pod) && isToMove(pod)).map(unitsOf);
    const room = objects.nodes
      .filter(
        (node) =>
          poolOfNode(pools, node) === pool &&
          !closed.has(node.name) &&
          !isBeingRemoved(node) &&
          !node.unschedulable &&
          isGood(node, since),
      )
      .map(
        (node) =>
          nodeUnits(pool, node) -
          pods
            .filter((pod) => pod.nodeName === node.name && pod.deletedAt === null && !isFinished(pod))
            .reduce((sum, pod) => sum + unitsOf(pod), 0),
      );
    if (!fits(sizes, room)) {
      return (
        `${nodes.join(', ')} of ${all.join(', ')} go with pods of ${sizes.join(', ')} units, and nodes that are ready have ` +
        `room of ${room.join(', ') || 'nothing'}`
      );
    }
  }
  return null;
}

/** The nodes of a command whose replacement has become too dear are places like any other until it is cheaper. */
const isTooDear = (command: Disruption, { scaleDown: { disruptions = [] } }: Decision): boolean =>
  disruptions.some(
    ({ nodes, leftOut }) => leftOut === 'TooExpensive' && nodes.every((node) => command.nodes.includes(node)),
  );

/** What nodes have been ready, and where the DaemonSet's pod has run. */
function watchReady({
  world: { api },
}: Pick<Stage, 'world'>): Pick<About, 'isGood'> & { readonly event: EventListener } {
  const ready = new Set<NodeName>([...api.nodes.values()].filter(isNodeReady).map(({ name }) => name));
  const served = new Set<NodeName>();
  api.watch({
    node: (node) => {
      if (isNodeReady(node)) {
        ready.add(node.name);
      }
    },
  });
  return {
    event: (event) => {
      if (event.kind === 'PodRunning' && event.workload === 'kube-system/agent') {
        served.add(event.node);
      }
    },
    isGood: ({ name, createdAt }, since) => ready.has(name) && ((createdAt ?? 0) < since || served.has(name)),
  };
}

type EventListener = NonNullable<ReturnType<Invariant['watch']>['event']>;
