import type { PodSpec, TopologySpreadConstraint } from '../../model/cluster/pod.ts';
import type { Labels } from '../../model/cluster/selectors.ts';
import { canonical, type PodKind } from '../../model/snapshot/pod-kind.ts';
import type { CountTable } from '../counts/count-table.ts';
import { SpreadCounter } from '../counts/counters.ts';
import { NO_DOMAIN } from '../counts/topology.ts';
import { compileSelector } from '../label-selector.ts';
import { matchRequiredAffinity, type NodeMatcher } from '../node-selector.ts';
import { type Plugin, rejectEverywhere, rejection } from '../plugin.ts';
import { toleratesAll } from '../tolerations.ts';

const TOO_SKEWED = rejection('PodTopologySpread', "node(s) didn't match pod topology spread constraints");
const NO_LABEL = rejection(
  'PodTopologySpread',
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

interface Constraint {
  readonly counter: SpreadCounter;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 when the pod itself matches the selector. */
  readonly self: number;
  /** A pod of this kind, once placed, counts for the next. */
  readonly countsItself: boolean;
}

/**
 * Hard topology spread constraints: matching pods in the node's domain, plus this one, may exceed those of the emptiest
 * domain by `maxSkew` at most. Domains are those of nodes that carry the keys of all hard constraints and that the
 * inclusion policies let in. Terminating pods do not count. Soft constraints and the default profile's default
 * constraints only score. Follows kube-scheduler 1.35, plugins/podtopologyspread.
 */
export const podTopologySpread: Plugin = {
  name: 'PodTopologySpread',
  prepare:
    ({ counts }) =>
    (kind) => {
      const hard = kind.spec.topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
      if (hard.length === 0) {
        return null;
      }
      const keys = [...new Set(hard.map(({ topologyKey }) => topologyKey))].sort();
      const constraints: Constraint[] = [];
      for (const constraint of hard) {
        const compiled = compileConstraint(constraint, kind, keys, counts);
        if (typeof compiled === 'string') {
          return rejectEverywhere(rejection('PodTopologySpread', compiled));
        }
        constraints.push(compiled);
      }
      return {
        node: ({ index }) => {
          for (let i = 0; i < constraints.length; i++) {
            const { counter, maxSkew, minDomains, self } = constraints[i]!;
            const domain = counter.domainOf[index]!;
            if (domain === NO_DOMAIN) {
              return NO_LABEL;
            }
            const min = counter.domains.size < minDomains ? 0 : counter.min;
            if (counter.counts[domain]! + self - min > maxSkew) {
              return TOO_SKEWED;
            }
          }
          return null;
        },
        room: ({ index }) => {
          let room = Number.POSITIVE_INFINITY;
          for (const constraint of constraints) {
            room = Math.min(room, roomOf(constraint, index));
          }
          return room;
        },
        terms: () => constraints.length,
      };
    },
};

function roomOf({ counter, maxSkew, minDomains, countsItself }: Constraint, nodeIndex: number): number {
  if (!countsItself || !counter.counted(nodeIndex)) {
    return Number.POSITIVE_INFINITY;
  }
  const domain = counter.domainOf[nodeIndex]!;
  // While this domain is the emptiest, the minimum rises with it; then the minimum of the other domains limits it.
  const min = counter.domains.size < minDomains ? 0 : counter.minOfOthers(domain);
  return min + maxSkew - counter.counts[domain]!;
}

/** A constraint of a kind of pod, ready to count; a text where its selector cannot be read. */
export function compileConstraint(
  constraint: TopologySpreadConstraint,
  kind: PodKind,
  keys: readonly string[],
  counts: CountTable,
): Constraint | string {
  const also: Record<string, string> = {};
  for (const key of constraint.matchLabelKeys) {
    if (typeof kind.labels[key] === 'string') {
      also[key] = kind.labels[key];
    }
  }
  const selector = compileSelector(constraint.labelSelector, also);
  if (!selector.ok) {
    return selector.error;
  }
  const { matches, empty, key, required } = selector.value;
  const { namespace, spec } = kind;
  const nodes = eligibleNodes(constraint, spec, keys, counts);
  const counter = counts.counter(
    canonical(['spread', namespace, key, constraint.topologyKey, nodes.key]),
    () => new SpreadCounter(counts.topology(constraint.topologyKey), nodes.set),
    () => ({
      // An empty selector matches every pod, yet none is counted for it.
      matches: (other) => !empty && !other.terminating && other.namespace === namespace && matches(other.labels),
      namespaces: new Set([namespace]),
      required,
    }),
  );
  const self = matches(kind.labels);
  return {
    counter,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    self: Number(self),
    countsItself: self && !empty && !kind.terminating,
  };
}

function eligibleNodes(
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  spec: PodSpec,
  keys: readonly string[],
  counts: CountTable,
) {
  const affinity = nodeAffinityPolicy === 'Ignore' ? null : matchRequiredAffinity(spec);
  const tolerations = nodeTaintsPolicy === 'Honor' ? spec.tolerations : null;
  const accepts: NodeMatcher = (node) =>
    carriesAll(node.labels, keys) &&
    (affinity === null || affinity(node)) &&
    (tolerations === null || toleratesAll(tolerations, node.taints));
  const key = canonical([
    keys,
    affinity === null ? null : [spec.nodeSelector, spec.nodeAffinity],
    // Taints that are tolerated anyway do not depend on for how long.
    tolerations?.map(({ key, operator, value, effect }) => canonical([key, operator, value, effect])).sort() ?? null,
  ]);
  return { key, set: counts.nodeSet(key, accepts) };
}

function carriesAll(labels: Labels, keys: readonly string[]): boolean {
  for (const key of keys) {
    if (typeof labels[key] !== 'string') {
      return false;
    }
  }
  return true;
}
