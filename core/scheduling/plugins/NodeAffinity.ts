import type { NodeName } from '../../model/values/names.ts';
import type { NodeSelectorTerm } from '../../model/cluster/selectors.ts';
import { matchRequiredAffinity } from '../node-selector.ts';
import { type KindFilter, type Plugin, rejection, unlimited } from '../plugin.ts';

const NO_MATCH = rejection('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
const CONFLICT = rejection('NodeAffinity', 'pod affinity terms conflict');

/**
 * `nodeSelector` and required node affinity. Where every affinity term names its nodes (`matchFields` with
 * `metadata.name In`), the other nodes are rejected here before any filter runs. Follows kube-scheduler 1.35,
 * plugins/nodeaffinity.
 */
export const nodeAffinity: Plugin = {
  name: 'NodeAffinity',
  prepare:
    () =>
    ({ spec }) => {
      const matches = matchRequiredAffinity(spec);
      if (matches === null) {
        return null;
      }
      const filter: KindFilter = { node: ({ node }) => (matches(node) ? null : NO_MATCH), room: unlimited };
      const names = namedNodes(spec.nodeAffinity ?? []);
      if (names === null) {
        return filter;
      }
      return names.size === 0 ? { ...filter, everywhere: CONFLICT } : { ...filter, only: names };
    },
};

/** The nodes that the terms name; `null` when some term names none, so that any node may do. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<NodeName> | null {
  if (terms.length === 0) {
    return null;
  }
  const union = new Set<string>();
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
    for (const name of names) {
      union.add(name);
    }
  }
  return union as ReadonlySet<string> as ReadonlySet<NodeName>;
}
