import { readable } from '../model/fault.ts';
import { valueOf } from '../model/values/records.ts';
import { byName, type NodeName } from '../model/values/names.ts';
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

/** A change to one node's soft taint. */
export interface SoftTaintChange {
  readonly node: NodeName;
  readonly uid: string;
  readonly change: NodeChange;
}

/** Where there are to be no soft taints: the largest number that comes off in one evaluation. */
const MOST_LEFTOVERS = 10;

/**
 * Soft taints that are to be put on and taken off, so that the scheduler prefers nodes that are needed: at most
 * `maxBulkSoftTaintCount` in one evaluation, removals first, since those taints keep pods away; then the nodes
 * that have been unneeded longest. Where scale-down or the count is off, all come off that were put on before, by Cluster
 * Autoscaler or otherwise. Nodes that are being removed are left as
 * they are. Follows Cluster Autoscaler's `softtaint.go`; the taint says since when the node has been unneeded, or an annotation
 * beside the shared one.
 *
 * @param nodes whose taints Outrigger looks after
 */
export function softTaintChanges(
  nodes: readonly Node[],
  unneededSince: Readonly<Record<NodeName, EpochMs>>,
  options: Options,
): readonly SoftTaintChange[] {
  const wantsNone = !options.scaleDownEnabled || options.maxBulkSoftTaintCount === 0;
  const sinceOf = (node: Node): EpochMs | null => (wantsNone ? null : (valueOf(unneededSince, node.name) ?? null));
  const off: SoftTaintChange[] = [];
  const on: { readonly since: EpochMs; readonly change: SoftTaintChange }[] = [];
  for (const node of nodes.toSorted((a, b) => byName(a.name, b.name))) {
    const borne = node.taints.filter(isCandidateTaint);
    const since = sinceOf(node);
    if (isBeingRemoved(node)) {
      continue;
    }
    if (since === null) {
      if (borne.length > 0 || UNNEEDED_SINCE_ANNOTATION in node.annotations) {
        off.push(changeOf(node, borne, null, null));
      }
      continue;
    }
    const wanted = candidateTaint(options, since);
    const others = borne.filter(({ key }) => key !== wanted.key);
    const beside = unneededSinceBeside(wanted, since);
    const isMissing = beside !== null && !(UNNEEDED_SINCE_ANNOTATION in node.annotations);
    if (borne.length === 0 || others.length > 0 || isMissing) {
      on.push({ since, change: changeOf(node, others, wanted, beside) });
    }
  }
  // Sorting is stable: nodes that are alike stay in the order of their names.
  const longest = on.sort((a, b) => a.since - b.since).map(({ change }) => change);
  return [...off, ...longest].slice(0, options.maxBulkSoftTaintCount || MOST_LEFTOVERS);
}

/**
 * `softTaintChanges` for the nodes of the node groups, those that wait for their replacement among them. A node that cannot be checked (its evaluation has reported it) keeps the
 * taints that it has, and the others get theirs.
 */
export function softTaintsFor(
  { nodeGroups, objects, options }: Pick<Scenario, 'nodeGroups' | 'objects' | 'options'>,
  { unneededSince, disruptions = [] }: Pick<State, 'unneededSince' | 'disruptions'>,
): readonly SoftTaintChange[] {
  const replaced = disruptions.flatMap(({ nodes, since }) => nodes.map((node) => [node, since] as const));
  const candidates = replaced.length === 0 ? unneededSince : { ...unneededSince, ...Object.fromEntries(replaced) };
  const ours = new Set(nodeGroups.flatMap((group) => readable(() => group.nodes, [])));
  const nodes = objects.nodes.filter((node) => readable(() => ours.has(node.name), false));
  const changesOf = (some: readonly Node[]) => softTaintChanges(some, candidates, options);
  return (
    readable(() => changesOf(nodes), null) ??
    changesOf(nodes.filter((node) => readable(() => changesOf([node]), null) !== null))
  );
}

const changeOf = (
  { name, uid, annotations }: Node,
  off: readonly Taint[],
  on: Taint | null,
  beside: string | null,
): SoftTaintChange => ({
  node: name,
  uid,
  change: {
    ...NO_CHANGE,
    annotations:
      beside === null && !(UNNEEDED_SINCE_ANNOTATION in annotations) ? {} : { [UNNEEDED_SINCE_ANNOTATION]: beside },
    addTaints: on === null ? [] : [on],
    removeTaints: off.map(({ key, effect }) => ({ key, effect })),
  },
});
