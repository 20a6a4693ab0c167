import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { newestFirst } from '@outrigger/core/model/cluster/newest-first.ts';
import type { ApiKeys } from '../api/resources.ts';
import { type ProviderId, isSameInstance, isSameLast, parseProviderId } from './provider-ids.ts';
import { mapOptional, getOptional } from '@outrigger/core/model/values/optional.ts';

/** The known facts about the node of a Machine, or of an instance of a MachinePool without Machines. */
export interface MachineNode {
  /** `NAMESPACE/NAME` of the Machine, or the provider ID of the instance. */
  readonly id: string;
  readonly providerId: string | null;
  /** Name of the Node. */
  readonly nodeRef: string | null;
}

/** The nodes of each claim that has one, by the claim's ID: newest first where one instance has registered twice. */
export interface MatchedNodes {
  readonly nodes: ReadonlyMap<string, readonly Node[]>;
  /** Nodes that fit several claims equally well, or share a claim with the node of another instance; they have none. */
  readonly ambiguous: readonly NodeName[];
}

/**
 * Matches nodes with claims: by the provider ID, else by the claim's `nodeRef`, else by the Machine that the Node's
 * annotations name. A name alone does not match what is known to be another instance: it may be that of a former one, or of
 * a node of another cluster of the same management cluster.
 */
export function matchNodes(claims: readonly MachineNode[], nodes: readonly Node[], keys: ApiKeys): MatchedNodes {
  const index = indexOf(claims);
  const matched = new Map<string, readonly Node[]>();
  const ambiguous: NodeName[] = [];
  for (const node of nodes) {
    const found = claimsOf(node, index, keys);
    const [claim] = found;
    if (found.length > 1) {
      ambiguous.push(node.name);
    } else if (claim !== undefined) {
      matched.set(claim.id, [...(matched.get(claim.id) ?? []), node]);
    }
  }
  for (const [id, own] of matched) {
    const kept = ofOneInstance(own, getExisting(index.byId, id));
    ambiguous.push(...own.filter((node) => !kept.includes(node)).map(({ name }) => name));
    matched.set(id, kept.toSorted(newestFirst));
  }
  return { nodes: matched, ambiguous };
}

/** The nodes of a claim that fits several instances, as `gce:///NAME` does in several zones: those of its `nodeRef`. */
function ofOneInstance(nodes: readonly Node[], { nodeRef }: IndexedNode): readonly Node[] {
  const wholes = nodes.map(({ providerId }) => parseProviderId(providerId)?.whole);
  const named = wholes[nodes.findIndex(({ name }) => name === nodeRef)];
  if (new Set(wholes).size === 1) {
    return nodes;
  }
  return nodes.filter((_, i) => named !== undefined && wholes[i] === named);
}

interface IndexedNode extends MachineNode {
  readonly parsed: ProviderId | null;
}

interface Index {
  readonly byId: ReadonlyMap<string, IndexedNode>;
  readonly byLast: ReadonlyMap<string, readonly IndexedNode[]>;
  readonly byNodeRef: ReadonlyMap<string, readonly IndexedNode[]>;
}

function indexOf(claims: readonly MachineNode[]): Index {
  const indexed = claims.map((claim) => ({ ...claim, parsed: parseProviderId(claim.providerId) }));
  const identified = indexed.filter(({ parsed }) => parsed !== null);
  const referring = indexed.filter(({ nodeRef }) => nodeRef !== null);
  return {
    byId: new Map(indexed.map((claim) => [claim.id, claim])),
    byLast: Map.groupBy(identified, ({ parsed }) => parsed?.last ?? ''),
    byNodeRef: Map.groupBy(referring, ({ nodeRef }) => nodeRef ?? ''),
  };
}

/** The claims that fit a node best: none, one, or several that fit equally well. */
function claimsOf(node: Node, { byId, byLast, byNodeRef }: Index, keys: ApiKeys): readonly IndexedNode[] {
  const id = parseProviderId(node.providerId);
  const annotated = machineNamedBy(node, keys);
  const alike = getOptional(byLast, id?.last) ?? [];
  const ofSame = [
    alike.filter(({ parsed }) => parsed?.whole === id?.whole),
    alike.filter(({ parsed }) => parsed !== null && id !== null && isSameInstance(parsed, id)),
  ].find((found) => found.length > 0);
  const candidates =
    ofSame ??
    [...new Set([...(byNodeRef.get(node.name) ?? []), ...[byId.get(annotated ?? '') ?? []].flat()])].filter(
      ({ parsed }) => parsed === null || id === null || isSameLast(parsed, id),
    );
  const preferred = [
    candidates.filter((claim) => claim.nodeRef === node.name && claim.id === annotated),
    candidates.filter((claim) => claim.nodeRef === node.name),
    candidates.filter((claim) => claim.id === annotated),
  ].find((found) => found.length === 1);
  return preferred ?? candidates;
}

/** `NAMESPACE/NAME` of the Machine that a Node's annotations name; `null` where they name none. */
function machineNamedBy({ annotations }: Node, { machineOfNode, namespaceOfNode }: ApiKeys): string | null {
  const name = annotations[machineOfNode];
  const namespace = annotations[namespaceOfNode];
  if (name === undefined || name === '') {
    return null;
  }
  if (name.includes('/')) {
    return name;
  }
  return mapOptional(namespace, (of) => `${of}/${name}`) ?? null;
}
