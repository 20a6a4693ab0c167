import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { nodeName, type PodKey } from '@outrigger/core/model/values/names.ts';
import { rememberedOf } from '@outrigger/core/model/values/remembered.ts';
import { addResources, type Resources } from '@outrigger/core/model/values/resources.ts';
import { mindsOthers } from '../cluster/scheduler-view.ts';
import { hasRoomFor, type InstanceOffering, requestsOf } from './offerings.ts';
import type { PlanView } from './plan-view.ts';

/** A node to launch (a NodeClaim), while pods are packed onto it. */
export interface NodeClaim {
  readonly info: NodeInfo;
  /** The offerings on which its pods fit, cheapest first. */
  options: readonly InstanceOffering[];
  /** The requests of its pods and daemons. */
  requests: Resources;
  pods: number;
}

/** Nodes that pods may be packed onto. */
interface PackingRoom {
  /** In the order in which they are tried. */
  readonly existing: readonly NodeInfo[];
  /** Kinds of new nodes, cheapest first. */
  readonly offerings: readonly InstanceOffering[];
  /** Pods that need more new nodes are unplaced. */
  readonly mostClaims: number;
}

interface ClaimPacking {
  readonly claims: readonly NodeClaim[];
  /** Existing and upcoming nodes that pods are placed on. */
  readonly used: ReadonlySet<NodeInfo>;
  readonly unplaced: readonly PodKey[];
}

/**
 * Packs pods, first fit, in the given order: onto existing nodes, then onto the new node with the fewest pods, then onto another new
 * node. A new node takes pods as long as any offering holds them all. The snapshot is left with the pods and the new nodes on it.
 */
export function pack(
  view: PlanView,
  pods: readonly Pod[],
  { existing, offerings, mostClaims }: PackingRoom,
): ClaimPacking {
  const { snapshot, scheduler } = view;
  const claims: NodeClaim[] = [];
  const used = new Set<NodeInfo>();
  const unplaced: PodKey[] = [];
  /** The place in the list up to which no node takes a kind whose verdicts are the same whatever is placed. */
  const tried = new Map<PodKind, number>();
  const onExisting = (kind: PodKind): boolean => {
    const from = mindsOthers(kind.spec) ? 0 : (tried.get(kind) ?? 0);
    const place = existing.findIndex((one, index) => index >= from && scheduler.check(kind, one) === null);
    tried.set(kind, place === -1 ? existing.length : place);
    const info = existing[place];
    if (info !== undefined) {
      snapshot.place(kind, info);
      used.add(info);
    }
    return info !== undefined;
  };
  for (const pod of pods) {
    const kind = snapshot.kindOf(pod);
    const requests = podRequests(pod);
    const isPlaced =
      onExisting(kind) ||
      claims.toSorted((a, b) => a.pods - b.pods).some((claim) => putOn(view, claim, kind, requests)) ||
      (claims.length < mostClaims && openClaim(view, pod, offerings, claims));
    if (!isPlaced) {
      unplaced.push(keyOf(pod));
    }
  }
  return { claims, used, unplaced };
}

/** Puts a pod on a claim, if it fits there together with the others on some offering. */
function putOn({ snapshot, scheduler }: PlanView, claim: NodeClaim, kind: PodKind, more: Resources): boolean {
  const requests = addResources(claim.requests, more);
  const options = claim.options.filter((offering) => hasRoomFor(offering, requests, claim.pods + 1));
  if (options.length === 0 || scheduler.check(kind, claim.info) !== null) {
    return false;
  }
  snapshot.place(kind, claim.info);
  Object.assign(claim, { options, requests, pods: claim.pods + 1 });
  return true;
}

/** Opens a new node for a pod, in the zone of the pool with the fewest nodes that admits it. */
function openClaim(view: PlanView, pod: Pod, offerings: readonly InstanceOffering[], claims: NodeClaim[]): boolean {
  const { snapshot } = view;
  const kind = snapshot.kindOf(pod);
  for (const options of choicesFor(view, pod, offerings)) {
    snapshot.fork();
    const claim = newClaim(view, options, claims.length);
    if (putOn(view, claim, kind, podRequests(pod))) {
      snapshot.commit();
      claims.push(claim);
      return true;
    }
    snapshot.revert();
  }
  return false;
}

/** The offerings of each pool and zone together, and each alone for a pod that may ask for an instance type. */
function choicesFor(
  { snapshot }: PlanView,
  { spec }: Pod,
  offerings: readonly InstanceOffering[],
): readonly InstanceOffering[][] {
  const nodes = countBy(snapshot.nodes, (info) => info?.node.labels[ZONE_LABEL]);
  const together = byPoolAndZone(offerings).toSorted(
    (a, b) => (nodes.get(firstItem(a).zone) ?? 0) - (nodes.get(firstItem(b).zone) ?? 0),
  );
  if (spec.nodeAffinity === null && Object.keys(spec.nodeSelector).length === 0) {
    return together;
  }
  return [...together, ...offerings.map((one) => [one])];
}

const byPoolAndZone = rememberedOf((offerings: readonly InstanceOffering[]): readonly InstanceOffering[][] => [
  ...Map.groupBy(offerings, ({ pool, zone }) => `${zone} ${pool}`).values(),
]);

/** An empty node that is as large as the largest of the offerings in each resource. */
function newClaim({ snapshot, daemonsOf }: PlanView, options: readonly InstanceOffering[], index: number): NodeClaim {
  const [some] = options as [InstanceOffering];
  const node = some.nodeNamed(nodeName(`claim-${String(index).padStart(6, '0')}`));
  const allocatable: Record<string, number> = {};
  for (const offering of options) {
    for (const [name, amount] of Object.entries(offering.allocatable)) {
      allocatable[name] = Math.max(allocatable[name] ?? 0, amount);
    }
  }
  const { [INSTANCE_TYPE_LABEL]: type = '', ...labels } = node.labels;
  const own = options.length === 1 ? { ...labels, [INSTANCE_TYPE_LABEL]: type } : labels;
  const info = snapshot.addNode({ ...node, labels: own, allocatable, capacity: allocatable }, null);
  const daemons = daemonsOf(some);
  daemons.forEach((pod) => snapshot.place(snapshot.kindOf(pod), info));
  return { info, options, requests: requestsOf(daemons), pods: daemons.length };
}
