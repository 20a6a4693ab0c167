import type { Node } from '../model/node.ts';
import type { Labels, NodeRequirement, NodeSelectorTerm } from '../model/selectors.ts';

/** Does a node match a pod's `nodeSelector` and required node affinity? Built once per kind of pod. */
export type NodeMatcher = (node: Node) => boolean;

/**
 * Terms are ORed, requirements inside a term ANDed; a term without any requirement matches nothing, and so does a
 * requirement that Kubernetes would not accept. Follows k8s.io/component-helpers/scheduling/corev1/nodeaffinity, 1.35.
 */
export function matchNodeSelector(terms: readonly NodeSelectorTerm[]): NodeMatcher {
  const compiled = terms
    .filter((term) => term.matchExpressions.length > 0 || term.matchFields.length > 0)
    .map(matchTerm);
  return (node) => compiled.some((matches) => matches(node));
}

/** `nodeSelector`: every label must be there with that value. */
export function matchLabels(wanted: Labels): NodeMatcher {
  const entries = Object.entries(wanted);
  return (node) => entries.every(([key, value]) => node.labels[key] === value);
}

function matchTerm(term: NodeSelectorTerm): NodeMatcher {
  const expressions = term.matchExpressions.map(matchRequirement);
  const fields = term.matchFields.map(matchField);
  return (node) => expressions.every((matches) => matches(node.labels)) && fields.every((matches) => matches(node));
}

/** The only field is `metadata.name`; an unknown one matches nothing. */
function matchField(requirement: NodeRequirement): NodeMatcher {
  if (requirement.key !== 'metadata.name' || requirement.values.length !== 1) {
    return () => false;
  }
  const [name] = requirement.values;
  switch (requirement.operator) {
    case 'In':
      return (node) => node.name === name;
    case 'NotIn':
      return (node) => node.name !== name;
    default:
      return () => false;
  }
}

/** One requirement on labels. An operator or a value that Kubernetes does not accept matches nothing. */
export function matchRequirement(requirement: NodeRequirement): (labels: Labels) => boolean {
  const { key, values } = requirement;
  switch (requirement.operator) {
    case 'In': {
      const wanted = new Set(values);
      return (labels) => labels[key] !== undefined && wanted.has(labels[key]);
    }
    case 'NotIn': {
      const unwanted = new Set(values);
      return (labels) => labels[key] === undefined || !unwanted.has(labels[key]);
    }
    case 'Exists':
      return values.length > 0 ? () => false : (labels) => labels[key] !== undefined;
    case 'DoesNotExist':
      return values.length > 0 ? () => false : (labels) => labels[key] === undefined;
    case 'Gt':
    case 'Lt': {
      const limit = values.length === 1 ? parseInt64(values[0]!) : null;
      if (limit === null) {
        return () => false;
      }
      const greater = requirement.operator === 'Gt';
      return (labels) => {
        const text = labels[key];
        const value = text === undefined ? null : parseInt64(text);
        return value !== null && (greater ? value > limit : value < limit);
      };
    }
    default:
      return () => false;
  }
}

const INT64 = /^[+-]?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Go's `strconv.ParseInt(text, 10, 64)`: "007" is 7, "3.5" is nothing. Doubles would be wrong above 2^53. */
function parseInt64(text: string): bigint | null {
  if (!INT64.test(text)) {
    return null;
  }
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value < INT64_MIN || value > INT64_MAX ? null : value;
}
