import { type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import type { NodeRequirement, NodeSelectorTerm } from '../model/cluster/selectors.ts';
import type { PersistentVolume } from '../model/cluster/storage.ts';
import { valueOf } from '../model/values/records.ts';
import { PODS } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { UnmetRequirement } from '../model/unmet-requirement.ts';
import { matchRequirement, requirementError } from '../scheduling/requirement.ts';
import { repels, tolerates } from '../scheduling/tolerations.ts';
import { claimUses, type VolumeIndex } from '../scheduling/volumes.ts';
import type { GroupTemplate } from './node-templates.ts';

/**
 * All requirements of a pod that a new node of a group does not meet, of those that have a number, a taint or a label:
 * kube-scheduler names the first filter alone. Plain loops, since there may be thousands of pairs of pods and groups.
 */
export function unmetRequirements(kind: PodKind, template: GroupTemplate, volumes: VolumeIndex): UnmetRequirement[] {
  const unmet: UnmetRequirement[] = [];
  addTaints(unmet, kind, template.node);
  addLabels(unmet, kind, template.node, volumes);
  if (unmet.length === 0) {
    for (const shape of template.shapes) {
      addLabels(unmet, kind, shape, volumes);
      if (unmet.length > 0) {
        break;
      }
    }
  }
  addResources(unmet, kind, template);
  return unmet;
}

function addTaints(unmet: UnmetRequirement[], { spec: { tolerations } }: PodKind, { taints }: Node): void {
  for (const taint of taints) {
    if (repels(taint) && !tolerations.some((toleration) => tolerates(toleration, taint))) {
      unmet.push({ kind: 'Taint', taint });
    }
  }
}

/** Node selector, node affinity, and the affinity of bound volumes. */
function addLabels(unmet: UnmetRequirement[], kind: PodKind, { labels }: Node, volumes: VolumeIndex): void {
  const { nodeSelector, nodeAffinity } = kind.spec;
  for (const [key, wanted] of Object.entries(nodeSelector)) {
    const value = valueOf(labels, key) ?? null;
    if (value !== wanted) {
      unmet.push({ kind: 'Label', requirement: { key, operator: 'In', values: [wanted] }, value });
    }
  }
  if (nodeAffinity !== null) {
    for (const requirement of fewestUnmet(nodeAffinity, labels)) {
      unmet.push({ kind: 'Label', requirement, value: valueOf(labels, requirement.key) ?? null });
    }
  }
  if (kind.spec.volumes.length > 0) {
    for (const { name: volume, nodeAffinity: terms, labels: own } of boundVolumes(kind, volumes)) {
      for (const requirement of fewestUnmet(terms ?? zoneTerms(own), labels)) {
        unmet.push({ kind: 'Volume', volume, requirement, value: valueOf(labels, requirement.key) ?? null });
      }
    }
  }
}

/** Terms are alternatives: the requirements of the term that is the nearest to these labels. */
function fewestUnmet(terms: readonly NodeSelectorTerm[], labels: Node['labels']): readonly NodeRequirement[] {
  let fewest: readonly NodeRequirement[] | null = null;
  for (const { matchExpressions } of terms) {
    const unmet = matchExpressions.filter(
      (requirement) => requirementError(requirement) !== null || !matchRequirement(requirement)(labels),
    );
    if (fewest === null || unmet.length < fewest.length) {
      fewest = unmet;
    }
  }
  return fewest ?? [];
}

/** The zones in a volume's label (`a__b` lists several), for volumes without node affinity. */
function zoneTerms(labels: PersistentVolume['labels']): readonly NodeSelectorTerm[] {
  const zones = valueOf(labels, ZONE_LABEL)?.split('__') ?? [];
  const requirement = { key: ZONE_LABEL, operator: 'In', values: zones };
  return zones.length === 0 ? [] : [{ matchExpressions: [requirement], matchFields: [] }];
}

const boundVolumes = (kind: PodKind, { claim, volumes }: VolumeIndex): readonly PersistentVolume[] =>
  claimUses(kind).flatMap(({ name }) => volumes.get(claim(kind.namespace, name)?.volumeName ?? '') ?? []);

function addResources(unmet: UnmetRequirement[], { requests }: PodKind, template: GroupTemplate): void {
  for (const [resource, amount] of Object.entries(requests)) {
    if (resource !== PODS) {
      addResource(unmet, resource, amount, template);
    }
  }
  addResource(unmet, PODS, 1, template);
}

function addResource(
  unmet: UnmetRequirement[],
  resource: string,
  asked: number,
  { node: { allocatable }, free }: GroupTemplate,
): void {
  const left = valueOf(free, resource) ?? 0;
  if (asked > left) {
    unmet.push({ kind: 'Resource', resource, asked, has: valueOf(allocatable, resource) ?? null, free: left });
  }
}
