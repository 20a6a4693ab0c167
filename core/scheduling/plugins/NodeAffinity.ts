import type { NodeName } from '../../model/names.ts';
import type { NodeSelectorTerm } from '../../model/selectors.ts';
import { matchLabels, matchNodeSelector } from '../node-selector.ts';
import type { Plugin } from '../plugin.ts';
import { unlimited } from '../plugin.ts';

const NO_MATCH = ["node(s) didn't match Pod's node affinity/selector"] as const;
const CONFLICT = ['pod affinity terms conflict'] as const;

/**
 * `nodeSelector` and required node affinity. Where every affinity term names its nodes (`matchFields` with
 * `metadata.name In`), the other nodes are rejected here before any filter runs. Follows kube-scheduler 1.35,
 * plugins/nodeaffinity.
 */
export const nodeAffinity: Plugin = {
  name: 'NodeAffinity',
  prepare: () => (kind) => {
    const { nodeSelector, nodeAffinity: terms } = kind.spec;
    const wantsLabels = Object.keys(nodeSelector).length > 0;
    if (!wantsLabels && terms === null) {
      return null;
    }
    const labelsMatch = matchLabels(nodeSelector);
    const termsMatch = terms === null ? () => true : matchNodeSelector(terms);
    const names = namedNodes(terms ?? []);
    return {
      everywhere: () => (names !== null && names.size === 0 ? CONFLICT : null),
      ...(names !== null && names.size > 0 ? { only: names } : {}),
      node: ({ node }) => (labelsMatch(node) && termsMatch(node) ? null : NO_MATCH),
      room: unlimited,
    };
  },
};

/** The nodes that the terms name; `null` when some term names none, so that any node may do. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<NodeName> | null {
  if (terms.length === 0) {
    return null;
  }
  let union = new Set<string>();
  for (const term of terms) {
    let names: Set<string> | null = null;
    for (const field of term.matchFields) {
      if (field.key === 'metadata.name' && field.operator === 'In') {
        const values = new Set(field.values);
        names = names === null ? values : names.intersection(values);
      }
    }
    if (names === null) {
      return null;
    }
    union = union.union(names);
  }
  return union as Set<NodeName>;
}
