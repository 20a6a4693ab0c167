import type { GroupRejection, PodOutcome, PodReason, PodRejection, SkippedGroup } from '../../model/decision.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { UnmetRequirement } from '../../model/unmet-requirement.ts';
import { byName, type GroupName, type PodKey } from '../../model/values/names.ts';
import { getOptional, mapOptional } from '../../model/values/optional.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';
import type { Plan } from '../orchestrator/plan-scale-up.ts';
import { unmetRequirements } from '../../nodegroups/unmet-requirements.ts';
import { volumeIndex } from '../../scheduling/volumes.ts';
import { remedyText, unmetText } from '../../words/unmet-requirements.ts';
import { whyGroupCannotHelp } from '../../words/why-group-skipped.ts';

/** Shapes of pods that have details: their cost is about 2 % of an evaluation in which no pod can be placed. */
export const MOST_SHAPES = 10;
/** Comparisons of a shape with a node group: of very many node groups, fewer shapes have details. */
const MOST_COMPARISONS = 300;
/** Details for one shape. */
const MOST_DETAILS = 5;
/** Node groups, the nearest first, that one shape has details about: groups of equal nodes share one. */
const MOST_GROUPS = 15;

interface RejectionInput extends Pick<Plan, 'left' | 'skipped'> {
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  readonly objects: ClusterObjects;
}

/** Details for the pods that are `Unschedulable`, shape by shape in the order of the pods. */
export function rejectionsOf(outcomes: readonly PodOutcome[], input: RejectionInput): readonly PodRejection[] {
  const podsOf = new Map<readonly PodReason[], PodKey[]>();
  const most = Math.max(1, Math.min(MOST_SHAPES, Math.floor(MOST_COMPARISONS / input.templates.size)));
  for (const { pod, outcome, reasons } of outcomes) {
    if (outcome !== 'Unschedulable' || reasons === undefined) {
      continue;
    }
    // Pods of one kind share their list of reasons.
    const same = podsOf.get(reasons);
    if (same !== undefined) {
      same.push(pod);
    } else if (podsOf.size < most) {
      podsOf.set(reasons, [pod]);
    }
  }
  if (podsOf.size === 0) {
    return [];
  }
  const kinds = new Map(input.left.map(({ kind, reasons }) => [reasons, kind]));
  const skipped = new Map(input.skipped.map((skip) => [skip.group, skip]));
  return [...podsOf].flatMap(([reasons, pods]) => {
    const groups = mapOptional(kinds.get(reasons), (kind) => lackingGroups(kind, reasons, skipped, input)) ?? [];
    const nearest = mapOptional(groups[0], ({ group, unmet }) => ({ group, remedy: remedyText(unmet) }));
    return mapOptional(nearest, (first) => [{ pods, groups: merged(groups), nearest: first }]) ?? [];
  });
}

interface LackingGroup {
  readonly group: GroupName;
  readonly unmet: readonly UnmetRequirement[];
  /** The sum of the shares of its resources that are lacking, less one where the group may not grow. */
  readonly share: number;
}

/** The nearest node groups, first the nearest. Growth may be possible again before the pod is changed. */
function lackingGroups(
  kind: PodKind,
  reasons: readonly PodReason[],
  skipped: ReadonlyMap<GroupName, SkippedGroup>,
  { templates, objects }: RejectionInput,
): readonly LackingGroup[] {
  const volumes = volumeIndex(objects);
  const groups: LackingGroup[] = [];
  for (const { group, reason } of reasons) {
    const template = getOptional(templates, group);
    if (group === undefined || template === undefined) {
      continue;
    }
    const skip = skipped.get(group);
    const unmet = unmetRequirements(kind, template, volumes);
    if (skip !== undefined) {
      unmet.push({ kind: 'Growth', reason: skip.reason, why: whyGroupCannotHelp(skip) });
    } else if (unmet.length === 0) {
      unmet.push(placementOf(kind, reason) ?? { kind: 'Other', reason });
    }
    groups.push({ group, unmet, share: lackingShare(unmet) });
  }
  groups.sort((a, b) => a.unmet.length - b.unmet.length || a.share - b.share || byName(a.group, b.group));
  return groups.slice(0, MOST_GROUPS);
}

function lackingShare(unmet: readonly UnmetRequirement[]): number {
  let share = -unmet.filter(({ kind }) => kind === 'Growth').length;
  for (const one of unmet) {
    if (one.kind === 'Resource') {
      share += 1 - Math.max(0, one.free) / one.asked;
    }
  }
  return share;
}

/** The rule about other pods that kube-scheduler's words are about; `null` where they are about something else. */
function placementOf({ spec }: PodKind, reason: string): UnmetRequirement | null {
  if (reason.includes('topology spread')) {
    const hard = spec.topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
    return { kind: 'Placement', rule: 'topology spread', topologyKeys: hard.map(({ topologyKey }) => topologyKey) };
  }
  if (reason.includes('pod affinity rules')) {
    const topologyKeys = spec.podAffinity.map(({ topologyKey }) => topologyKey);
    return { kind: 'Placement', rule: 'pod affinity', topologyKeys };
  }
  if (reason.includes("didn't match pod anti-affinity rules")) {
    const topologyKeys = spec.podAntiAffinity.map(({ topologyKey }) => topologyKey);
    return { kind: 'Placement', rule: 'pod anti-affinity', topologyKeys };
  }
  return null;
}

/** Node groups of one instance type often lack the same. */
function merged(groups: readonly LackingGroup[]): readonly GroupRejection[] {
  const byText = new Map<string, { readonly groups: GroupName[]; readonly unmet: readonly string[] }>();
  for (const { group, unmet } of groups) {
    const texts = unmet.map((one) => unmetText(one));
    const key = texts.join('\n');
    const same = byText.get(key);
    if (same === undefined) {
      if (byText.size === MOST_DETAILS) {
        break;
      }
      byText.set(key, { groups: [group], unmet: texts });
    } else {
      same.groups.push(group);
    }
  }
  return [...byText.values()];
}
