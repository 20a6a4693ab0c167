import { minorOf } from '../../model/cluster/kubernetes-version.ts';
import type { PodAffinityTerm } from '../../model/cluster/pod.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import { err, ok, type Result } from '../../model/values/result.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import { type Labels, NO_LABELS } from '../../model/cluster/selectors.ts';
import { canonical, type PodKind } from '../../model/snapshot/pod-kind.ts';
import type { CountTable } from '../counts/count-table.ts';
import { DomainCounter } from '../counts/counters.ts';
import { SelectorIndex } from '../counts/selector-index.ts';
import { NO_DOMAIN } from '../counts/topology.ts';
import { type CompiledSelector, compileSelector, NOTHING } from '../label-selector.ts';
import { type KindFilter, one, type Plugin, rejectEverywhere, rejection, unlimited } from '../plugin.ts';

const NO_AFFINITY = rejection('InterPodAffinity', "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = rejection('InterPodAffinity', "node(s) didn't match pod anti-affinity rules");
const EXISTING = rejection('InterPodAffinity', "node(s) didn't satisfy existing pods anti-affinity rules");

/** A term of affinity: pods of some namespaces that a selector matches. */
export interface Term {
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: CompiledSelector;
  readonly selector: CompiledSelector;
  readonly key: string;
}

/** A required anti-affinity term of pods that are on nodes, and where those are. */
interface HeldTerm {
  readonly term: Term;
  readonly holders: DomainCounter;
}

/**
 * Required pod affinity and anti-affinity, the latter both ways: the pod's own terms, and the terms of existing pods.
 * `matchLabelKeys` and `mismatchLabelKeys` are not looked at, because the API server has merged them into the selector
 * when it took the pod in. Follows kube-scheduler 1.33 to 1.37, plugins/interpodaffinity.
 */
export const interPodAffinity: Plugin = {
  name: 'InterPodAffinity',
  prepare: ({ counts, objects }) => {
    const namespaces = new Map(objects.namespaces.map(({ name, labels }) => [name, labels]));
    const held = new Map<string, HeldTerm>();
    const heldTerms = new SelectorIndex<HeldTerm>();
    counts.onKind((kind) => {
      if (kind.spec.podAntiAffinity.length === 0) {
        return;
      }
      const terms = compileTerms(kind.spec.podAntiAffinity, kind.namespace);
      if (!terms.ok) {
        // Terms that cannot be read have no effect on other pods: kube-scheduler drops all terms of that pod.
        return;
      }
      for (const term of terms.value) {
        const one = getOrMake(held, term.key, () => {
          const made = { term, holders: new DomainCounter(counts.topology(term.topologyKey)) };
          heldTerms.add(term.selector.required, made);
          return made;
        });
        counts.attach(kind, one.holders);
      }
    });
    const cluster = { counts, namespaces, heldTerms, objects };
    return (kind) => compile(kind, cluster);
  },
};

/** The cluster as the terms of pods are looked at. */
interface TermedCluster {
  readonly counts: CountTable;
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly heldTerms: SelectorIndex<HeldTerm>;
  readonly objects: ClusterObjects;
}

function compile(kind: PodKind, { counts, namespaces, heldTerms, objects }: TermedCluster): KindFilter {
  const affinity = compileTerms(kind.spec.podAffinity, kind.namespace);
  const antiAffinity = compileTerms(kind.spec.podAntiAffinity, kind.namespace);
  if (!affinity.ok) {
    return unreadable(affinity.error);
  }
  if (!antiAffinity.ok) {
    return unreadable(antiAffinity.error);
  }
  const wanted = affinity.value.map((term) => ownTerm(term, objects));
  const unwanted = antiAffinity.value.map((term) => ownTerm(term, objects));

  // A pod must match all terms of the affinity, so there is one selection, counted by each of the topologies.
  const near = [...new Set(wanted.map(({ topologyKey }) => topologyKey))].map((topologyKey) =>
    podsMatching(counts, wanted, topologyKey),
  );
  const matchesItself = wanted.every((term) => termMatches(term, kind, NO_LABELS));
  const far = unwanted.map((term) => podsMatching(counts, [term], term.topologyKey));
  /** Topologies in which the pod repels its own kind, and in which it will be counted. */
  const selfFar = far.filter((_, i) => termMatches(unwanted[i]!, kind, NO_LABELS));

  const ownNamespace = namespaces.get(kind.namespace) ?? NO_LABELS;
  /** Terms of other pods that select this pod; more may come with new kinds of pods. */
  const against: DomainCounter[] = [];
  let seen = 0;
  const lookAgain = (): void => {
    heldTerms.eachFor(kind.labels, seen, ({ term, holders }) => {
      if (termMatches(term, kind, ownNamespace)) {
        against.push(holders);
      }
    });
    seen = heldTerms.size;
  };

  return {
    node: ({ index }) => {
      if (near.length > 0 && !nearEnough(near, index, matchesItself)) {
        return NO_AFFINITY;
      }
      for (let i = 0; i < far.length; i++) {
        if (occupied(far[i]!, index)) {
          return ANTI_AFFINITY;
        }
      }
      if (seen < heldTerms.size) {
        lookAgain();
      }
      for (let i = 0; i < against.length; i++) {
        if (occupied(against[i]!, index)) {
          return EXISTING;
        }
      }
      return null;
    },
    terms: () => near.length + far.length + against.length,
    // Affinity only gets easier with each pod placed.
    room:
      selfFar.length === 0
        ? unlimited
        : ({ index }) => (selfFar.some(({ domainOf }) => domainOf[index] !== NO_DOMAIN) ? one() : unlimited()),
  };
}

const unreadable = (error: string): KindFilter =>
  rejectEverywhere(rejection('InterPodAffinity', `parsing pod: ${error}`));

const occupied = ({ domainOf, counts, total }: DomainCounter, nodeIndex: number): boolean => {
  if (total === 0) {
    return false;
  }
  const domain = domainOf[nodeIndex]!;
  return domain !== NO_DOMAIN && counts[domain]! > 0;
};

/** All topology keys must be on the node, with a matching pod in each domain; or else this is the first of its kind. */
function nearEnough(near: readonly DomainCounter[], nodeIndex: number, matchesItself: boolean): boolean {
  let found = true;
  let none = true;
  for (let i = 0; i < near.length; i++) {
    const { domainOf, counts, total } = near[i]!;
    const domain = domainOf[nodeIndex]!;
    if (domain === NO_DOMAIN) {
      return false;
    }
    found &&= counts[domain]! > 0;
    none &&= total === 0;
  }
  return found || (none && matchesItself);
}

/** Counts the pods that match all terms, by the domains of one label. */
export function podsMatching(counts: CountTable, terms: readonly Term[], topologyKey: string): DomainCounter {
  const key = canonical(['affinity', topologyKey, terms.map((term) => term.key).sort()]);
  return counts.counter(
    key,
    () => new DomainCounter(counts.topology(topologyKey)),
    () => ({
      matches: (kind) => matchesAll(terms, kind),
      namespaces: terms.find((term) => !term.namespaceSelector.matches(NO_LABELS))?.namespaces ?? null,
      required: terms.find(({ selector }) => selector.required !== null)?.selector.required ?? null,
    }),
  );
}

/** A loop, as it runs for each kind of pod with each distinct term: a closure a time would be a gigabyte of garbage. */
function matchesAll(terms: readonly Term[], kind: PodKind): boolean {
  for (let i = 0; i < terms.length; i++) {
    if (!termMatches(terms[i]!, kind, NO_LABELS)) {
      return false;
    }
  }
  return true;
}

/** Does the term select pods of this kind? */
export function termMatches(term: Term, kind: PodKind, namespaceLabels: Labels): boolean {
  return (
    (term.namespaces.has(kind.namespace) || term.namespaceSelector.matches(namespaceLabels)) &&
    term.selector.matches(kind.labels)
  );
}

/**
 * A term of the pod that wants a place: the namespaces that its namespace selector matches are looked up once and added
 * to those it names, and the selector is dropped. kube-scheduler 1.34 to 1.36 goes on matching the selector, with no labels
 * at all: a selector that only asks for absent labels matches every namespace.
 */
export function ownTerm(term: Term, objects: ClusterObjects): Term {
  if (term.namespaceSelector.empty) {
    return term;
  }
  const found = objects.namespaces.filter(({ labels }) => term.namespaceSelector.matches(labels));
  const namespaces = new Set([...term.namespaces, ...found.map(({ name }) => name)]);
  const minor = minorOf(objects);
  return minor < 34 || minor > 36 ? { ...term, namespaces, namespaceSelector: NOTHING } : { ...term, namespaces };
}

/** @param namespace of the pod whose terms they are. */
export function compileTerms(terms: readonly PodAffinityTerm[], namespace: string): Result<readonly Term[], string> {
  const compiled: Term[] = [];
  for (const term of terms) {
    const selector = compileSelector(term.labelSelector);
    const namespaceSelector = compileSelector(term.namespaceSelector);
    if (!selector.ok) {
      return selector;
    }
    if (!namespaceSelector.ok) {
      return err(namespaceSelector.error);
    }
    // Naming any namespace, by name or by selector, drops the pod's own.
    const own = term.namespaces.length === 0 && term.namespaceSelector === null;
    const namespaces = own ? [namespace] : [...new Set(term.namespaces)].sort();
    compiled.push({
      topologyKey: term.topologyKey,
      namespaces: new Set(namespaces),
      namespaceSelector: namespaceSelector.value,
      selector: selector.value,
      key: canonical([term.topologyKey, namespaces, namespaceSelector.value.key, selector.value.key]),
    });
  }
  return ok(compiled);
}
