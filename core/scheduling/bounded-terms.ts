import { mapAt } from '../model/values/counts.ts';
import { getExisting, itemAt } from '../model/values/existing.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { readable } from '../model/fault.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { fairShares } from '../model/values/fair-shares.ts';
import { byName } from '../model/values/names.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { type Pod, type PodSpec, termCount } from '../model/cluster/pod.ts';
import { sortedControllers, sortedPods } from '../model/cluster/sorted-objects.ts';

/**
 * Distinct terms of pod affinity, pod anti-affinity and topology spread that the simulation follows, of pods in one namespace and of all
 * pods, beside one and two for each node. Each term is counted for every node and compared with every kind of pod; `POD_SPEC_LIMITS`
 * limits a single pod. A cluster with more nodes runs more workloads, and its functions have more memory.
 */
const TERMS_OF_NAMESPACE = 2_000;
const TERMS_OF_CLUSTER = 5_000;

interface TermLimits {
  readonly ofNamespace: number;
  readonly ofCluster: number;
}

export const termLimits = (nodes: number): TermLimits => ({
  ofNamespace: TERMS_OF_NAMESPACE + nodes,
  ofCluster: TERMS_OF_CLUSTER + 2 * nodes,
});

/** A term that another spec of the namespace has as well: the pods of a StatefulSet differ in their claims alone. */
const REPEATED = 0.1;

/** Numbers of pods of one namespace with the same spec. */
interface Use {
  bound: number;
  pods: number;
}

/** The specs with terms, by namespace. */
type Uses = ReadonlyMap<string, ReadonlyMap<PodSpec, Use>>;

/**
 * The objects with a limited number of distinct terms; the same objects where the limits are kept, as is the rule. Of a namespace
 * beyond its limit, the specs of bound pods are followed first, then those of the most pods. The limit of the cluster is shared
 * fairly among namespaces. Pods and templates beyond are not simulated (`PodSpec.excess`).
 */
export function withBoundedTerms(objects: ClusterObjects): ClusterObjects {
  const limits = termLimits(objects.nodes.length);
  if (isWithinLimits([usesOfPods(objects.pods), usesOfTemplates(objects)], limits)) {
    return objects;
  }
  const ordered = {
    pods: sortedPods(objects.pods),
    controllers: sortedControllers(objects.controllers),
    podTemplates: sortedBy(objects.podTemplates, ({ namespace, name }) => `${namespace}/${name}`),
  };
  const bounded = boundedBy(specsBeyond(together(usesOfPods(ordered.pods), usesOfTemplates(ordered)), limits));
  return {
    ...objects,
    pods: objects.pods.map(bounded),
    controllers: objects.controllers.map((one) =>
      one.template === null ? one : { ...one, template: bounded(one.template) },
    ),
    podTemplates: objects.podTemplates.map((one) => ({ ...one, pod: bounded(one.pod) })),
  };
}

const usesOfPods = rememberedOf((pods: readonly Pod[]): Uses => usesIn(pods));

const usesOfTemplates = ({ controllers, podTemplates }: Pick<ClusterObjects, 'controllers' | 'podTemplates'>): Uses =>
  usesIn([...controllers.flatMap(({ template }) => template ?? []), ...podTemplates.map(({ pod }) => pod)]);

function usesIn(pods: readonly Pod[]): Uses {
  const uses = new Map<string, Map<PodSpec, Use>>();
  for (const pod of pods) {
    // An evaluation sets an object aside that cannot be read.
    readable(() => addUse(uses, pod), undefined);
  }
  return uses;
}

function addUse(uses: Map<string, Map<PodSpec, Use>>, { namespace, spec, nodeName }: Pod): void {
  if (termCount(spec) === 0) {
    return;
  }
  const use = getOrMake(mapAt(uses, namespace), spec, () => ({ bound: 0, pods: 0 }));
  use.pods += 1;
  use.bound += Number(nodeName !== null);
}

/** Counts equal terms of two specs twice, so that most clusters need no comparison of terms. */
function isWithinLimits(all: readonly Uses[], { ofNamespace: most, ofCluster }: TermLimits): boolean {
  const counts = new Map<string, number>();
  let sum = 0;
  for (const uses of all) {
    for (const [namespace, ofNamespace] of uses) {
      let count = counts.get(namespace) ?? 0;
      for (const spec of ofNamespace.keys()) {
        count += termCount(spec);
        sum += termCount(spec);
      }
      counts.set(namespace, count);
      if (count > most || sum > ofCluster) {
        return false;
      }
    }
  }
  return true;
}

function together(a: Uses, b: Uses): Uses {
  const uses = new Map<string, Map<PodSpec, Use>>();
  for (const [namespace, ofNamespace] of [...a, ...b]) {
    const known = mapAt(uses, namespace);
    for (const [spec, { bound, pods }] of ofNamespace) {
      const use = known.get(spec);
      known.set(spec, { bound: bound + (use?.bound ?? 0), pods: pods + (use?.pods ?? 0) });
    }
  }
  return uses;
}

/** By namespace, the specs that are not followed, and the exceeded limit. */
type Beyond = ReadonlyMap<string, { readonly specs: ReadonlySet<PodSpec>; readonly most: number }>;

function specsBeyond(uses: Uses, { ofNamespace, ofCluster }: TermLimits): Beyond {
  const namespaces = [...uses.keys()].sort(byName);
  const asked = namespaces.map((namespace) => take(getExisting(uses, namespace), ofNamespace));
  const shares = fairShares(
    asked.map(({ count }, i) => ({ namespace: itemAt(namespaces, i), count })),
    ofCluster,
  );
  return new Map(
    namespaces.map((namespace, i) => {
      const { count, beyond } = itemAt(asked, i);
      const isShared = itemAt(shares, i) < count;
      const most = isShared ? itemAt(shares, i) : ofNamespace;
      return [namespace, { most, specs: isShared ? take(getExisting(uses, namespace), most).beyond : beyond }];
    }),
  );
}

/** Takes specs as long as the count of their terms allows it. */
function take(
  uses: ReadonlyMap<PodSpec, Use>,
  most: number,
): { readonly count: number; readonly beyond: ReadonlySet<PodSpec> } {
  const taken = new Set<string>();
  const beyond = new Set<PodSpec>();
  let count = 0;
  for (const [spec] of [...uses].sort(([, a], [, b]) => b.bound - a.bound || b.pods - a.pods)) {
    const { terms, repeated } = termsBeside(taken, spec, most - count);
    const next = count + terms.size + repeated * REPEATED;
    if (next > most) {
      beyond.add(spec);
    } else {
      count = next;
      terms.forEach((term) => taken.add(term));
    }
  }
  return { count: Math.ceil(count), beyond };
}

/** The terms of a spec that are not among these terms, at most `most` + 1 of them, and the number of terms that are. */
function termsBeside(
  taken: ReadonlySet<string>,
  { podAffinity, podAntiAffinity, preferredPodAffinity, preferredPodAntiAffinity, topologySpread }: PodSpec,
  most: number,
): { readonly terms: ReadonlySet<string>; readonly repeated: number } {
  const terms = new Set<string>();
  let repeated = 0;
  for (const list of [podAffinity, podAntiAffinity, preferredPodAffinity, preferredPodAntiAffinity, topologySpread]) {
    for (const term of list) {
      const text = JSON.stringify(term);
      if (taken.has(text) || terms.has(text)) {
        repeated += 1;
      } else {
        terms.add(text);
      }
      if (terms.size > most) {
        return { terms, repeated };
      }
    }
  }
  return { terms, repeated };
}

function boundedBy(beyond: Beyond): (pod: Pod) => Pod {
  const known = new Map<string, Map<PodSpec, PodSpec>>();
  return (pod) =>
    readable(() => {
      const { namespace, spec } = pod;
      const of = beyond.get(namespace);
      if (of === undefined || !of.specs.has(spec)) {
        return pod;
      }
      const excess = `too many distinct terms of pod affinity and topology spread in namespace ${namespace}: more than the ${of.most} that are followed`;
      return { ...pod, spec: getOrMake(mapAt(known, namespace), spec, () => ({ ...spec, excess })) };
    }, pod);
}
