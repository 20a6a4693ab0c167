import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { NO_LABELS } from '@outrigger/core/model/cluster/selectors.ts';
import type { PodAffinityTerm, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import { DomainCounter } from '@outrigger/core/scheduling/counts/counters.ts';
import { NO_DOMAIN } from '@outrigger/core/scheduling/counts/topology.ts';
import {
  compileTerms,
  ownTerm,
  podsMatching,
  type Term,
  termMatches,
} from '@outrigger/core/scheduling/plugins/InterPodAffinity.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from './score-plugin.ts';

/** Weight of an existing pod's required affinity term for a pod that the term selects. */
const HARD_POD_AFFINITY_WEIGHT = 1;

/** A term with what it is worth, and how many pods of a domain it speaks for. */
interface WeightedTerm {
  readonly term: Term;
  readonly weight: number;
  readonly counter: DomainCounter;
}

/**
 * Preferred pod affinity and anti-affinity, both ways: the pod's own terms, and the terms of existing pods, including
 * their required affinity. Follows kube-scheduler 1.35, plugins/interpodaffinity/scoring.go.
 */
export const interPodAffinityScore: ScorePlugin = {
  name: 'InterPodAffinity',
  prepare: ({ counts, objects }) => {
    const namespaces = new Map(objects.namespaces.map(({ name, labels }) => [name, labels]));
    const held: WeightedTerm[] = [];
    const byKey = new Map<string, DomainCounter>();
    counts.onKind((kind) => {
      for (const { weight, term } of termsHeldBy(kind)) {
        const one = getOrMake(byKey, `${weight}\n${term.key}`, () => {
          const counter = new DomainCounter(counts.topology(term.topologyKey));
          held.push({ term, weight, counter });
          return counter;
        });
        counts.attach(kind, one);
      }
    });
    return ({ kind }) => {
      const own = compiledTerms(preferredTerms(kind.spec), kind.namespace).map(({ weight, term }): WeightedTerm => {
        const wanted = ownTerm(term, objects);
        return { term: wanted, weight, counter: podsMatching(counts, [wanted], term.topologyKey) };
      });
      const ownNamespace = namespaces.get(kind.namespace) ?? NO_LABELS;
      /** Terms of other pods that select this pod; more may come with new kinds of pods. */
      const counted = [...own];
      let seen = 0;
      return (nodes, scores) => {
        for (; seen < held.length; seen++) {
          if (termMatches(itemAt(held, seen).term, kind, ownNamespace)) {
            counted.push(itemAt(held, seen));
          }
        }
        let least = Number.POSITIVE_INFINITY;
        let most = Number.NEGATIVE_INFINITY;
        for (let i = 0; i < nodes.length; i++) {
          let score = 0;
          for (const { weight, counter } of counted) {
            const domain = itemAt(counter.domainOf, itemAt(nodes, i).index);
            if (domain !== NO_DOMAIN) {
              score += weight * (counter.counts[domain] ?? 0);
            }
          }
          scores[i] = score;
          least = Math.min(least, score);
          most = Math.max(most, score);
        }
        for (let i = 0; i < nodes.length; i++) {
          scores[i] = most === least ? 0 : Math.floor((MAX_NODE_SCORE * (itemAt(scores, i) - least)) / (most - least));
        }
      };
    };
  },
};

interface Preference {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

const preferredTerms = ({ preferredPodAffinity, preferredPodAntiAffinity }: PodSpec): readonly Preference[] => [
  ...preferredPodAffinity,
  ...preferredPodAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term })),
];

/** Terms that cannot be read have no effect. */
const compiledTerms = (
  preferences: readonly Preference[],
  namespace: string,
): readonly Omit<WeightedTerm, 'counter'>[] =>
  preferences.flatMap(({ weight, term }) => {
    const compiled = compileTerms([term], namespace);
    return compiled.ok ? compiled.value.map((one) => ({ weight, term: one })) : [];
  });

function termsHeldBy({ spec, namespace }: PodKind): ReturnType<typeof compiledTerms> {
  const required = spec.podAffinity.map((term) => ({ weight: HARD_POD_AFFINITY_WEIGHT, term }));
  return compiledTerms([...required, ...preferredTerms(spec)], namespace);
}
