import { firstItem, lastItem } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { isNodeReady } from '@outrigger/core/model/cluster/node-condition.ts';
import { isDaemon, isFinished, isMirror } from '@outrigger/core/model/cluster/pod.ts';
import { isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import { rateOf } from '@outrigger/core/registry/month-costs.ts';
import { pictureOf } from '@outrigger/providers/html/picture/of-scenario.ts';
import type { Picture } from '@outrigger/providers/html/picture/picture.ts';
import { pendingPodCount } from '@outrigger/core/words/explain.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import { createDecisionLog, type TimedDecision } from './decisions.ts';
import { createNeeds } from './needs.ts';
import type { NodeOfReport, NodeState, NodePhase } from './report.ts';
import { addSample, forgetSamples, type SampledValue } from './samples.ts';

/** Follows the decisions of a process, for a page about the last hours. */
export interface LiveRecorder {
  readonly onDecision: (scenario: Scenario, decision: Decision) => void;
  readonly recorded: () => LiveRecord;
}

/** Times are milliseconds since 1970. */
export interface LiveRecord {
  readonly from: number;
  /** Time of the last decision; `from` where there is none. */
  readonly to: number;
  /** The nodes, with phases in milliseconds since 1970, too. */
  readonly nodes: readonly NodeOfReport[];
  /** Pods that waited for a node, at each evaluation of scale-up. */
  readonly waiting: readonly SampledValue[];
  /** Cost of the nodes, USD per hour; empty where some price is unknown. */
  readonly cost: readonly SampledValue[];
  /** Lower bound for the nodes' pods and the pending pods (`Needs`). */
  readonly needs: readonly SampledValue[];
  readonly decisions: readonly TimedDecision[];
  /** The nodes before and after the last decision of each part; `null` before the first one. */
  readonly picture: Picture | null;
}

/** Older records are forgotten. */
const KEPT_MS = 6 * 3_600_000;
const MOST_DECISIONS = 500;
/** Nodes that are gone; all existing nodes are shown. */
const MOST_GONE = 2_000;

interface Latest {
  readonly scenario: Pick<Scenario, 'objects' | 'nodeGroups'>;
  readonly decision: Decision;
}

/** Nodes and pods of a picture that is requested every few seconds. */
const MOST_PICTURED = 20_000;

const isTooLarge = ({ scenario: { objects } }: Latest): boolean =>
  objects.nodes.length + objects.pods.length > MOST_PICTURED;

/** The last decision, with the part that it does not decide from the one before. */
function latestOf(before: Latest | null, scenario: Scenario, decision: Decision): Latest {
  const { scaleUp, scaleDown } = before?.decision ?? decision;
  if (decision.evaluation === 'ScaleUp') {
    return { scenario, decision: { ...decision, scaleDown } };
  }
  if (decision.evaluation === 'ScaleDown') {
    return { scenario, decision: { ...decision, scaleUp } };
  }
  return { scenario, decision };
}

interface TrackedNode {
  readonly group: GroupName | null;
  readonly phases: NodePhase[];
  note: string;
  gone: boolean;
}

/** @param start of the process, in milliseconds since 1970. */
export function createLiveRecorder(start: number): LiveRecorder {
  const nodes = new Map<string, TrackedNode>();
  const waiting: SampledValue[] = [];
  const cost: SampledValue[] = [];
  const needs = createNeeds();
  const log = createDecisionLog(MOST_DECISIONS, 0);
  let latest: Latest | null = null;
  let from = start;
  let to = start;
  let staysAt = start;
  return {
    onDecision: (scenario, decision) => {
      const { now } = scenario;
      const { evaluation } = decision;
      to = Math.max(to, now);
      from = Math.max(start, to - KEPT_MS);
      latest = latestOf(latest, scenario, decision);
      log.take(scenario, decision);
      needs.take(scenario, decision);
      follow(nodes, scenario, decision);
      if (evaluation !== 'ScaleUp') {
        // An evaluation that began before another, and ended after it, knows less of why nodes stay.
        noteNodes(nodes, decision, now >= staysAt);
        staysAt = Math.max(staysAt, now);
      }
      if (evaluation !== 'ScaleDown') {
        addSample(waiting, now, pendingPodCount(decision));
      }
      const hourly = costOf(scenario);
      if (hourly !== null) {
        addSample(cost, now, hourly);
      }
      forget(nodes, from);
      forgetSamples(waiting, from);
      forgetSamples(cost, from);
      needs.forget(from);
    },
    recorded: () => ({
      from,
      to,
      nodes: [...nodes].map(([name, { group, phases, note }]) => ({ name, group, phases: [...phases], note })),
      waiting: [...waiting],
      cost: [...cost],
      needs: [...needs.samples],
      decisions: log.all().filter(({ at }) => at >= from),
      picture: latest === null || isTooLarge(latest) ? null : pictureOf(latest.scenario, latest.decision),
    }),
  };
}

function follow(nodes: Map<string, TrackedNode>, scenario: Scenario, { state }: Pick<Decision, 'state'>): void {
  const { now } = scenario;
  const here = statesOf(scenario, new Set(Object.keys(state.unneededSince)));
  renameRegistered(nodes, scenario);
  for (const [name, { group, state }] of here) {
    const node = getOrMake(nodes, name, () => ({ group, phases: [], note: '', gone: false }));
    node.gone = false;
    const last = node.phases.at(-1);
    if (last !== undefined) {
      node.phases[node.phases.length - 1] = { ...last, to: now };
    }
    if (last?.state !== state) {
      node.phases.push({ state, from: now, to: now });
    }
  }
  for (const [name, node] of nodes) {
    if (!here.has(name) && !node.gone) {
      node.gone = true;
      const last = lastItem(node.phases);
      node.phases[node.phases.length - 1] = { ...last, to: now };
      if (!node.note.startsWith(REMOVED)) {
        node.note = 'gone';
      }
    }
  }
}

/** An instance that has become a node goes on as that. */
function renameRegistered(nodes: Map<string, TrackedNode>, { nodeGroups }: Scenario): void {
  for (const { id, node } of nodeGroups.flatMap(({ instances }) => instances)) {
    const booted = nodes.get(id);
    if (node !== null && booted !== undefined) {
      nodes.delete(id);
      nodes.set(node, nodes.get(node) ?? booted);
    }
  }
}

const REMOVED = 'removed';

/** Notes why nodes stay, if `isNewest`, and how others are removed. */
function noteNodes(
  nodes: Map<string, TrackedNode>,
  { scaleDown: { removals, unremovable }, state: { deletionsInProgress } }: Decision,
  isNewest: boolean,
): void {
  const going = new Set<string>(deletionsInProgress.map(({ node }) => node));
  const stays = new Map<string, string>(unremovable.map((one) => [one.node, whyNodeStaysInFull(one)]));
  for (const [name, node] of nodes) {
    // A node that is being removed keeps the note on its removal, even before it has its taint.
    const isGoing = going.has(name) || node.phases.at(-1)?.state === 'leaving';
    if (isNewest && !node.gone && !(node.note.startsWith(REMOVED) && isGoing)) {
      node.note = stays.get(name) ?? '';
    }
  }
  for (const { node: name, kind, pods } of removals) {
    const node = nodes.get(name);
    if (node?.gone === false) {
      node.note = kind === 'empty' ? `${REMOVED} empty` : `${REMOVED} after a drain of ${counted(pods.length, 'pod')}`;
    }
  }
}

function stateOf(node: Node, unneeded: ReadonlySet<string>, used: ReadonlySet<string | null>): NodeState {
  if (node.taints.some(isRemovalTaint)) {
    return 'leaving';
  }
  if (unneeded.has(node.name)) {
    return 'unneeded';
  }
  if (used.has(node.name)) {
    return 'used';
  }
  return isNodeReady(node) ? 'idle' : 'booting';
}

/** The nodes of the groups, and those of no group, and the instances that are no nodes yet. */
function statesOf(
  { nodeGroups, objects }: Scenario,
  unneeded: ReadonlySet<string>,
): ReadonlyMap<string, { readonly group: GroupName | null; readonly state: NodeState }> {
  const used = new Set(
    objects.pods.filter((pod) => !isDaemon(pod) && !isMirror(pod) && !isFinished(pod)).map(({ nodeName }) => nodeName),
  );
  const groups = new Map(nodeGroups.flatMap(({ name, nodes }) => nodes.map((node) => [node, name] as const)));
  const states = new Map<string, { readonly group: GroupName | null; readonly state: NodeState }>();
  for (const node of objects.nodes) {
    states.set(node.name, { group: groups.get(node.name) ?? null, state: stateOf(node, unneeded, used) });
  }
  for (const { name, instances } of nodeGroups) {
    for (const { id, node, state } of instances) {
      if (node === null && state !== 'Deleting') {
        states.set(id, { group: name, state: 'booting' });
      }
    }
  }
  return states;
}

function costOf(scenario: Scenario): number | null {
  const { usdPerHour, unpriced } = rateOf(withStatedPrices(scenario).nodeGroups);
  return unpriced > 0 ? null : usdPerHour;
}

function forget(nodes: Map<string, TrackedNode>, from: number): void {
  let gone = 0;
  for (const [name, node] of [...nodes].toReversed()) {
    gone += Number(node.gone);
    if (node.gone && (gone > MOST_GONE || lastItem(node.phases).to < from)) {
      nodes.delete(name);
    } else if (firstItem(node.phases).to < from) {
      node.phases.splice(
        0,
        node.phases.findIndex(({ to }) => to >= from),
      );
    }
  }
}

/** For charts: the phases of a node from a time on, in seconds from there. */
export const phasesFrom = (phases: readonly NodePhase[], from: number): readonly NodePhase[] =>
  phases
    .filter(({ to }) => to >= from)
    .map((phase) => ({
      state: phase.state,
      from: Math.max(0, phase.from - from) / 1_000,
      to: (phase.to - from) / 1_000,
    }));
