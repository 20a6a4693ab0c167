import { readable } from '../model/fault.ts';
import { valueOf } from '../model/values/records.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import { FILL_TAINTS, isFillTaint } from '../model/cluster/fill-taints.ts';
import type { Node, Taint } from '../model/cluster/node.ts';
import { NO_CHANGE, type NodeChange } from '../model/cluster/node-change.ts';
import type { Options } from '../model/options.ts';
import {
  candidateTaint,
  isBeingRemoved,
  isCandidateTaint,
  UNNEEDED_SINCE_ANNOTATION,
  unneededSinceBeside,
} from '../model/cluster/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import { fillOrder } from './fill-order.ts';

/** A change to one node's soft taint. */
interface SoftTaintChange {
  readonly node: NodeName;
  readonly uid: string;
  readonly change: NodeChange;
}

/** The most nodes to lose their soft taints in one evaluation where soft taints are off. */
const MOST_LEFTOVERS = 10;

/**
 * Soft taints that are to be put on and taken off, so that the scheduler prefers nodes that are needed: at most
 * `maxBulkSoftTaintCount` nodes in one evaluation, removals first, since those taints keep pods away; then the nodes
 * that have been unneeded longest, then those whose place in the order of filling has changed. Where scale-down or the count is
 * off, all come off that were put on before, by Cluster Autoscaler or otherwise. Nodes that are being removed are left as they
 * are. Follows Cluster Autoscaler's `softtaint.go`; the taint says since when the node has been unneeded, or an annotation
 * beside the shared one.
 *
 * @param nodes whose taints Outrigger looks after
 * @param ranks number of `FILL_TAINTS` for each node; absent: none
 */
export function softTaintChanges(
  nodes: readonly Node[],
  unneededSince: Readonly<Record<NodeName, EpochMs>>,
  options: Options,
  ranks: ReadonlyMap<NodeName, number> = new Map(),
): readonly SoftTaintChange[] {
  const wantsNone = !options.scaleDownEnabled || options.maxBulkSoftTaintCount === 0;
  const wanted = wantsNone ? { since: {}, ranks: new Map<NodeName, number>() } : { since: unneededSince, ranks };
  const rows: { readonly since: number; readonly change: SoftTaintChange }[] = [];
  for (const node of nodes.toSorted((a, b) => byName(a.name, b.name))) {
    if (isBeingRemoved(node)) {
      continue;
    }
    const since = valueOf<NodeName, EpochMs>(wanted.since, node.name) ?? null;
    const candidate = candidateChange(node, since, options);
    const fill = fillChange(node, wanted.ranks.get(node.name) ?? 0);
    const on = [...candidate.on, ...fill.on];
    const off = [...candidate.off, ...fill.off];
    const sinceOfOthers = on.length === 0 || candidate.off.length > 0 ? -1 : Number.MAX_VALUE;
    if (on.length > 0 || off.length > 0 || Object.keys(candidate.annotations).length > 0) {
      rows.push({
        since: candidate.on.length > 0 ? since! : sinceOfOthers,
        change: {
          node: node.name,
          uid: node.uid,
          change: {
            ...NO_CHANGE,
            annotations: candidate.annotations,
            addTaints: on,
            removeTaints: off.map(({ key, effect }) => ({ key, effect })),
          },
        },
      });
    }
  }
  // Sorting is stable: nodes that are alike stay in the order of their names.
  return rows
    .sort((a, b) => a.since - b.since)
    .map(({ change }) => change)
    .slice(0, options.maxBulkSoftTaintCount || MOST_LEFTOVERS);
}

interface TaintChange {
  readonly on: readonly Taint[];
  readonly off: readonly Taint[];
}

/** @param since when the node has been unneeded; `null`: it is needed. */
function candidateChange(
  { taints, annotations }: Node,
  since: EpochMs | null,
  options: Options,
): TaintChange & Pick<NodeChange, 'annotations'> {
  const borne = taints.filter(isCandidateTaint);
  const isAnnotated = UNNEEDED_SINCE_ANNOTATION in annotations;
  if (since === null) {
    return { on: [], off: borne, annotations: isAnnotated ? { [UNNEEDED_SINCE_ANNOTATION]: null } : {} };
  }
  const wanted = candidateTaint(options, since);
  const off = borne.filter(({ key }) => key !== wanted.key);
  const beside = unneededSinceBeside(wanted, since);
  if (borne.length > 0 && off.length === 0 && (beside === null || isAnnotated)) {
    return { on: [], off: [], annotations: {} };
  }
  return {
    on: [wanted],
    off,
    annotations: beside === null && !isAnnotated ? {} : { [UNNEEDED_SINCE_ANNOTATION]: beside },
  };
}

function fillChange({ taints }: Node, rank: number): TaintChange {
  const wanted = FILL_TAINTS.slice(0, rank);
  const isAmong = (some: readonly Taint[], { key, effect }: Taint): boolean =>
    some.some((taint) => taint.key === key && taint.effect === effect);
  return {
    on: wanted.filter((taint) => !isAmong(taints, taint)),
    off: taints.filter((taint) => isFillTaint(taint) && !isAmong(wanted, taint)),
  };
}

/**
 * `softTaintChanges` for the nodes of the node groups, including nodes that wait for their replacement. A node that
 * cannot be checked (its evaluation has reported it) keeps its taints, and all other nodes get theirs.
 */
export function softTaintsFor(
  { nodeGroups, objects, options }: Pick<Scenario, 'nodeGroups' | 'objects' | 'options'>,
  { unneededSince, disruptions = [] }: Pick<State, 'unneededSince' | 'disruptions'>,
): readonly SoftTaintChange[] {
  const replaced = disruptions.flatMap(({ nodes, since }) => nodes.map((node) => [node, since] as const));
  const candidates = { ...unneededSince, ...Object.fromEntries(replaced) };
  const groupOf = new Map(nodeGroups.flatMap((group) => group.nodes.map((node) => [node, group] as const)));
  const nodes = objects.nodes.filter(({ name }) => groupOf.has(name));
  const changesOf = (some: readonly Node[]) =>
    softTaintChanges(
      some,
      candidates,
      options,
      fillOrder(some, ({ name }) => groupOf.get(name), options),
    );
  return (
    readable(() => changesOf(nodes), null) ??
    changesOf(nodes.filter((node) => readable(() => changesOf([node]), null) !== null))
  );
}
