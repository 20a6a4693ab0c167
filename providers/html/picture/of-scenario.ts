import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { isFinished, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Decision, PodOutcome, Removal } from '@outrigger/core/model/decision.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { type NodeName, podKeys, type PodKey } from '@outrigger/core/model/values/names.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { addResources, CPU, MEMORY, NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { POD_OUTCOMES } from '@outrigger/core/words/outcomes.ts';
import { groupedReasons, groupedReasonText } from '@outrigger/core/words/pod-reasons.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import {
  addedNode,
  type Picture,
  type PictureGroup,
  type PictureNode,
  type PicturePod,
  type PictureState,
} from './picture.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';

/**
 * The picture of a decision for a scenario. A decision says which group a pod gets a node of, and on which nodes the pods of
 * a removed node fit, by number: the pods are drawn on these nodes in order, as one of the possible results.
 */
export function pictureOf(scenario: Pick<Scenario, 'objects' | 'nodeGroups'>, decision: Decision): Picture {
  const { objects, nodeGroups } = scenario;
  const keyOf = podKeys();
  const keyed = objects.pods
    .filter((pod) => !isFinished(pod))
    .map((pod) => ({ pod, key: keyOf(pod.namespace, pod.name) }));
  const pods = new Map(keyed.map(({ pod, key }) => [key, pod]));
  const on = Map.groupBy(keyed, ({ pod }) => pod.nodeName);
  const moved = movedPods(decision.scaleDown.removals);
  const removals = new Map(decision.scaleDown.removals.map((one) => [one.node, one]));
  const stays = new Map(decision.scaleDown.unremovable.map((one) => [one.node, one]));
  const unneeded = new Set(decision.scaleDown.unneeded);
  const nodes = new Map(
    objects.nodes.map(({ name, allocatable }) => {
      const removal = removals.get(name);
      const own = (on.get(name) ?? []).map(({ pod, key }) => ({ pod, key, stays: removal === undefined }));
      const arriving = knownPods(moved.get(name) ?? [], pods);
      const shareOf = sharesOf(
        [...own, ...arriving].map(({ pod }) => pod),
        allocatable,
      );
      const kept = stays.get(name);
      const stayed = mapOptional(kept, whyNodeStaysInFull) ?? '';
      const node: PictureNode = {
        name,
        state: stateOf(removal, unneeded.has(name), own.length),
        when: removal === undefined ? 'both' : 'before',
        note: mapOptional(removal, removalText) ?? stayed,
        pods: [
          ...own.map(({ pod, key, stays: isKept }) =>
            podOf(key, shareOf(pod), isKept ? 'both' : 'before', isKept ? '' : 'moves'),
          ),
          ...arriving.map(({ pod, key }) =>
            podOf(key, shareOf(pod), 'after', 'moves here, or to another node with room'),
          ),
        ],
      };
      return [name, node] as const;
    }),
  );
  const grown = new Map(decision.scaleUp.increases.map((one) => [one.group, one.to - one.from]));
  const triggered = Map.groupBy(
    decision.scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered'),
    ({ group }) => group,
  );
  const grouped = new Set(nodeGroups.flatMap((group) => group.nodes));
  const groups = nodeGroups.map((group): PictureGroup => ({
    name: group.name,
    nodes: [
      ...group.nodes.flatMap((name) => nodes.get(name) ?? []),
      ...upcomingNodes(group, valueOf(decision.scaleUp.upcoming, group.name) ?? 0),
      ...newNodes(
        group,
        grown.get(group.name) ?? 0,
        (triggered.get(group.name) ?? []).map(({ pod }) => pod),
        pods,
      ),
    ],
  }));
  const others = objects.nodes.filter(({ name }) => !grouped.has(name)).map(({ name }) => getExisting(nodes, name));
  return {
    groups: [...groups, { name: null, nodes: others }].filter((group) => group.nodes.length > 0),
    pending: decision.scaleUp.pods.map(pendingPod),
  };
}

/** The pods of these keys; keys without a pod are left out. */
const knownPods = (keys: readonly PodKey[], pods: ReadonlyMap<PodKey, Pod>): readonly { key: PodKey; pod: Pod }[] =>
  keys.filter((key) => pods.has(key)).map((key) => ({ key, pod: getExisting(pods, key) }));

const podOf = (name: PodKey, share: number, when: PicturePod['when'], note: string): PicturePod => ({
  name,
  share,
  when,
  note,
});

function stateOf(removal: Removal | undefined, isUnneeded: boolean, pods: number): PictureState {
  if (removal !== undefined) {
    return 'leaving';
  }
  if (isUnneeded) {
    return 'unneeded';
  }
  return pods === 0 ? 'idle' : 'used';
}

const removalText = ({ kind, pods }: Removal): string =>
  kind === 'empty' ? 'removed: it is empty' : `drained of ${counted(pods.length, 'pod')}, and removed`;

/** A pod without a node, with its outcome: a pod that gets a node is pending before the decision alone. */
function pendingPod({ pod, outcome, group, reasons = [] }: PodOutcome): PicturePod {
  const why = [
    group === undefined ? POD_OUTCOMES[outcome].short : `${POD_OUTCOMES[outcome].short} (${group})`,
    ...groupedReasons(reasons).map(groupedReasonText),
  ].join('; ');
  return { name: pod, share: 0, when: outcome === 'Triggered' || outcome === 'Fits' ? 'before' : 'both', note: why };
}

/** The pods that move to each node, in order. */
function movedPods(removals: readonly Removal[]): ReadonlyMap<NodeName, readonly PodKey[]> {
  const moved = new Map<NodeName, PodKey[]>();
  for (const { pods, destinations } of removals) {
    let next = 0;
    for (const { node, pods: number } of destinations) {
      moved.set(node, [...(moved.get(node) ?? []), ...pods.slice(next, next + number)]);
      next += number;
    }
  }
  return moved;
}

/** The share of a pod in the resource that the pods use most of. */
function sharesOf(pods: readonly Pod[], allocatable: Resources): (pod: Pod) => number {
  const used = pods.reduce((sum, pod) => addResources(sum, podRequests(pod)), NO_RESOURCES);
  const part = (requests: Resources, resource: string): number => {
    const all = valueOf(allocatable, resource) ?? 0;
    return all > 0 ? (valueOf(requests, resource) ?? 0) / all : 0;
  };
  const larger = part(used, CPU) >= part(used, MEMORY) ? CPU : MEMORY;
  return (pod) => Math.round(part(podRequests(pod), larger) * 100);
}

const upcomingNodes = ({ name }: NodeGroup, number: number): readonly PictureNode[] =>
  Array.from({ length: number }, (_, i) => ({
    name: `upcoming node ${i + 1} of ${name}`,
    state: 'booting',
    when: 'both',
    pods: [],
    note: 'launched, and not registered yet',
  }));

/** New nodes, filled with the pods for which the group grows: each pod on the first node with room. */
function newNodes(
  { name, template }: NodeGroup,
  number: number,
  keys: readonly PodKey[],
  pods: ReadonlyMap<PodKey, Pod>,
): readonly PictureNode[] {
  const all = knownPods(keys, pods);
  const shareOf = sharesOf(
    all.map(({ pod }) => pod),
    template?.node.allocatable ?? {},
  );
  const filled = Array.from({ length: number }, (): PicturePod[] => []);
  const free = filled.map(() => 100);
  for (const { key, pod } of all) {
    const share = shareOf(pod);
    const fits = free.findIndex((left) => left >= share);
    const at = fits === -1 ? free.indexOf(Math.max(...free)) : fits;
    free[at] = (free[at] ?? 0) - share;
    filled[at]?.push(podOf(key, share, 'after', 'gets a new node'));
  }
  return filled.map((on, i) => addedNode(name, i, on, 'added by this decision'));
}
