import type { NodeName } from '../model/values/names.ts';
import type { Node } from '../model/cluster/node.ts';
import type { PodSpec } from '../model/cluster/pod.ts';
import type { Labels, NodeRequirement, NodeSelectorTerm } from '../model/cluster/selectors.ts';
import { mapOptional } from '../model/values/optional.ts';
import { type LabelMatcher, matchRequirement, requirementError } from './requirement.ts';

/** Does a node match? Built once per kind of pod. */
export type NodeMatcher = (node: Node) => boolean;

interface CompiledTerm {
  readonly expressions: readonly LabelMatcher[];
  readonly fields: readonly ((name: NodeName) => boolean)[];
}

/**
 * Terms are ORed, requirements inside a term ANDed. A term without any requirement matches nothing, and so does one
 * with a requirement that Kubernetes would not accept. Follows k8s.io/component-helpers/scheduling/corev1/nodeaffinity,
 * 1.35.
 */
export function matchNodeSelector(terms: readonly NodeSelectorTerm[]): NodeMatcher {
  const compiled = terms.flatMap(compileTerm);
  return (node) => compiled.some((term) => termMatches(term, node.labels, node.name));
}

/**
 * The same for the node affinity of a volume, which is compared with a node's labels alone: requirements on fields are
 * not looked at.
 */
export function matchVolumeAffinity(terms: readonly NodeSelectorTerm[]): (labels: Labels) => boolean {
  const compiled = terms.flatMap(compileTerm);
  return (labels) => compiled.some((term) => termMatches(term, labels, null));
}

/** A pod's `nodeSelector` and required node affinity together; `null` where it has neither. */
export function matchRequiredAffinity({
  nodeSelector,
  nodeAffinity,
}: Pick<PodSpec, 'nodeSelector' | 'nodeAffinity'>): NodeMatcher | null {
  const entries = Object.entries(nodeSelector);
  const affinity = mapOptional(nodeAffinity, matchNodeSelector);
  if (entries.length === 0) {
    return affinity;
  }
  return (node) => {
    for (const [key, value] of entries) {
      if (node.labels[key] !== value) {
        return false;
      }
    }
    return affinity === null || affinity(node);
  };
}

function termMatches(term: CompiledTerm, labels: Labels, name: NodeName | null): boolean {
  for (const matches of term.expressions) {
    if (!matches(labels)) {
      return false;
    }
  }
  if (name !== null) {
    for (const matches of term.fields) {
      if (!matches(name)) {
        return false;
      }
    }
  }
  return true;
}

function compileTerm({ matchExpressions, matchFields }: NodeSelectorTerm): CompiledTerm[] {
  const isEmpty = matchExpressions.length === 0 && matchFields.length === 0;
  if (
    isEmpty ||
    matchExpressions.some((requirement) => requirementError(requirement) !== null) ||
    !matchFields.every(validField)
  ) {
    return [];
  }
  return [{ expressions: matchExpressions.map(matchRequirement), fields: matchFields.map(matchField) }];
}

const validField = ({ operator, values }: NodeRequirement): boolean =>
  values.length === 1 && (operator === 'In' || operator === 'NotIn');

/** The one field that nodes have is `metadata.name`; any other reads as empty. */
function matchField({ key, operator, values }: NodeRequirement): (name: NodeName) => boolean {
  const wanted = operator === 'In';
  const [value] = values;
  return (name) => ((key === 'metadata.name' ? name : '') === value) === wanted;
}
