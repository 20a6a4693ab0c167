import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';
import { NO_DOMAIN } from '@outrigger/core/scheduling/counts/topology.ts';
import { compileConstraint } from '@outrigger/core/scheduling/plugins/PodTopologySpread.ts';
import { MAX_NODE_SCORE, type NodeScores, type ScoreContext, type ScorePlugin } from './score-plugin.ts';

/** Constraints for pods of a controller that name none: kube-scheduler's own defaults. */
const DEFAULT_CONSTRAINTS = [
  { topologyKey: HOSTNAME_LABEL, maxSkew: 3 },
  { topologyKey: ZONE_LABEL, maxSkew: 5 },
] as const;

/** Counts the pods in each domain of one label. */
interface SoftConstraint {
  readonly byHost: boolean;
  readonly maxSkew: number;
  /** By the node's index. */
  readonly domainOf: readonly number[];
  /** Pods by domain, as they are now. */
  readonly counts: () => { readonly [domain: number]: number };
}

/**
 * Soft topology spread: the fewer matching pods in the node's domains, the better; domains of few values weigh less.
 * Pods that name no constraint at all are spread over hosts and zones with the others of their controller. The
 * selectors of Services, which would count as well, are not known here. Follows kube-scheduler 1.35,
 * plugins/podtopologyspread/scoring.go.
 */
export const podTopologySpreadScore: ScorePlugin = {
  name: 'PodTopologySpread',
  prepare: (context) => (pod) => {
    const { topologySpread } = pod.kind.spec;
    if (topologySpread.length === 0) {
      return mapOptional(pod.owner, (owner) => scores(defaultConstraints(owner, context), false));
    }
    const soft = topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
    const keys = [...new Set(soft.map(({ topologyKey }) => topologyKey))].sort();
    const constraints: SoftConstraint[] = [];
    for (const constraint of soft) {
      const compiled = compileConstraint(constraint, pod.kind, keys, context.counts);
      if (typeof compiled === 'string') {
        return null;
      }
      const { counter, maxSkew } = compiled;
      const byHost = constraint.topologyKey === HOSTNAME_LABEL;
      constraints.push({ byHost, maxSkew, domainOf: counter.domainOf, counts: () => counter.counts });
    }
    return constraints.length === 0 ? null : scores(constraints, true);
  },
};

function defaultConstraints(owner: string, { counts, owners }: ScoreContext): readonly SoftConstraint[] {
  return DEFAULT_CONSTRAINTS.map(({ topologyKey, maxSkew }) => {
    const topology = counts.topology(topologyKey);
    const { domainOf } = topology;
    return {
      byHost: topologyKey === HOSTNAME_LABEL,
      maxSkew,
      domainOf,
      counts: () => {
        const byDomain = Array.from({ length: topology.size }, () => 0);
        for (const [nodeIndex, count] of owners.of(owner)) {
          const domain = itemAt(domainOf, nodeIndex);
          if (domain !== NO_DOMAIN) {
            byDomain[domain]! += count;
          }
        }
        return byDomain;
      },
    };
  });
}

const IGNORED = -1;

/** @param needsAll nodes that lack one of the labels are ignored. */
function scores(constraints: readonly SoftConstraint[], needsAll: boolean): NodeScores {
  return (nodes, into) => {
    const ignored = (index: number): boolean =>
      needsAll && constraints.some(({ domainOf }) => domainOf[index] === NO_DOMAIN);
    let counted = 0;
    for (let i = 0; i < nodes.length; i++) {
      into[i] = ignored(itemAt(nodes, i).index) ? IGNORED : 0;
      counted += Number(into[i] !== IGNORED);
    }
    for (const { byHost, maxSkew, domainOf, counts } of constraints) {
      const pods = counts();
      const weight = Math.log((byHost ? counted : domainsOf(nodes, domainOf, into)) + 2);
      for (let i = 0; i < nodes.length; i++) {
        const domain = itemAt(domainOf, itemAt(nodes, i).index);
        if (into[i] !== IGNORED && domain !== NO_DOMAIN) {
          into[i]! += pods[domain]! * weight + maxSkew - 1;
        }
      }
    }
    turnRound(into, nodes.length);
  };
}

/** The different values that a label has on these nodes; not to have it is one too. */
function domainsOf(nodes: readonly NodeInfo[], domainOf: readonly number[], scored: Float64Array): number {
  const domains = new Set<number>();
  for (let i = 0; i < nodes.length; i++) {
    if (scored[i] !== IGNORED) {
      domains.add(itemAt(domainOf, itemAt(nodes, i).index));
    }
  }
  return domains.size;
}

/** The plugin's NormalizeScore: few pods become a high score. */
function turnRound(scored: Float64Array, count: number): void {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let i = 0; i < count; i++) {
    if (scored[i] !== IGNORED) {
      scored[i] = Math.round(itemAt(scored, i));
      least = Math.min(least, itemAt(scored, i));
      most = Math.max(most, itemAt(scored, i));
    }
  }
  for (let i = 0; i < count; i++) {
    if (scored[i] === IGNORED) {
      scored[i] = 0;
    } else {
      scored[i] =
        most === 0 ? MAX_NODE_SCORE : Math.floor((MAX_NODE_SCORE * (most + least - itemAt(scored, i))) / most);
    }
  }
}
