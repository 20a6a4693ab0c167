import type { NodeSelectorTerm } from '@outrigger/core/model/cluster/selectors.ts';
import type { PodAffinityTerm, PodSpec, PreferredTerm } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  integerIn,
  itemsReader,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  stringsReader,
  unlessEmpty,
} from './fields.ts';
import { MOST_READ } from './most-read.ts';
import {
  podNodeSelectorIn,
  readPodNodeSelectorTerm,
  podSelectorIn,
  writeNodeSelector,
  writeNodeSelectorTerm,
  writeSelector,
} from './selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The part of a pod's spec that `spec.affinity` becomes. */
export type Affinity = Pick<
  PodSpec,
  | 'nodeAffinity'
  | 'preferredNodeAffinity'
  | 'podAffinity'
  | 'preferredPodAffinity'
  | 'podAntiAffinity'
  | 'preferredPodAntiAffinity'
>;

const NONE: readonly never[] = Object.freeze([]);

const NO_AFFINITY: Affinity = Object.freeze({
  nodeAffinity: null,
  preferredNodeAffinity: NONE,
  podAffinity: NONE,
  preferredPodAffinity: NONE,
  podAntiAffinity: NONE,
  preferredPodAntiAffinity: NONE,
});

const namespacesIn = stringsReader(MOST_READ.values);
const labelKeysIn = stringsReader(MOST_READ.requirements);

const readPodAffinityTerm: SectionReader<PodAffinityTerm> = (from) => ({
  topologyKey: nameIn(from, 'topologyKey'),
  labelSelector: podSelectorIn(from, 'labelSelector'),
  namespaces: namespacesIn(from, 'namespaces'),
  namespaceSelector: podSelectorIn(from, 'namespaceSelector'),
  matchLabelKeys: labelKeysIn(from, 'matchLabelKeys'),
  mismatchLabelKeys: labelKeysIn(from, 'mismatchLabelKeys'),
});

/** A preferred term: `{weight, preference}` for nodes, `{weight, podAffinityTerm}` for pods. */
function weighted<T>(key: string, read: SectionReader<T>): SectionReader<PreferredTerm<T>> {
  return (from) => ({
    weight: integerIn(from, 'weight') ?? 0,
    term: read(objectIn(from, key)),
  });
}

const podTermsIn = itemsReader(readPodAffinityTerm, MOST_READ.affinityTerms);
const preferredNodeTermsIn = itemsReader(weighted('preference', readPodNodeSelectorTerm), MOST_READ.nodeAffinityTerms);
const preferredPodTermsIn = itemsReader(weighted('podAffinityTerm', readPodAffinityTerm), MOST_READ.affinityTerms);

/** Reads `affinity` of a pod's spec. */
export function affinityIn(spec: Section): Affinity {
  const affinity = optionalObjectIn(spec, 'affinity');
  if (affinity === null) {
    return NO_AFFINITY;
  }
  const node = objectIn(affinity, 'nodeAffinity');
  const pod = objectIn(affinity, 'podAffinity');
  const anti = objectIn(affinity, 'podAntiAffinity');
  return {
    nodeAffinity: podNodeSelectorIn(node, REQUIRED),
    preferredNodeAffinity: preferredNodeTermsIn(node, PREFERRED),
    podAffinity: podTermsIn(pod, REQUIRED),
    preferredPodAffinity: preferredPodTermsIn(pod, PREFERRED),
    podAntiAffinity: podTermsIn(anti, REQUIRED),
    preferredPodAntiAffinity: preferredPodTermsIn(anti, PREFERRED),
  };
}

const writePodAffinityTerm = (term: PodAffinityTerm): Manifest =>
  manifest({
    topologyKey: term.topologyKey,
    labelSelector: writeSelector(term.labelSelector),
    namespaces: term.namespaces,
    namespaceSelector: writeSelector(term.namespaceSelector),
    matchLabelKeys: term.matchLabelKeys,
    mismatchLabelKeys: term.mismatchLabelKeys,
  });

const writePreferredNodeTerm = ({ weight, term }: PreferredTerm<NodeSelectorTerm>): Manifest => ({
  weight,
  preference: writeNodeSelectorTerm(term),
});

const writePreferredPodTerm = ({ weight, term }: PreferredTerm<PodAffinityTerm>): Manifest => ({
  weight,
  podAffinityTerm: writePodAffinityTerm(term),
});

/** Writes what `affinityIn` reads; `null` where there is none. */
export function writeAffinity(of: Affinity): Manifest | null {
  const nodeAffinity = manifest({
    [REQUIRED]: writeNodeSelector(of.nodeAffinity),
    [PREFERRED]: of.preferredNodeAffinity.map(writePreferredNodeTerm),
  });
  const podAffinity = manifest({
    [REQUIRED]: of.podAffinity.map(writePodAffinityTerm),
    [PREFERRED]: of.preferredPodAffinity.map(writePreferredPodTerm),
  });
  const podAntiAffinity = manifest({
    [REQUIRED]: of.podAntiAffinity.map(writePodAffinityTerm),
    [PREFERRED]: of.preferredPodAntiAffinity.map(writePreferredPodTerm),
  });
  return unlessEmpty(
    manifest({
      nodeAffinity: unlessEmpty(nodeAffinity),
      podAffinity: unlessEmpty(podAffinity),
      podAntiAffinity: unlessEmpty(podAntiAffinity),
    }),
  );
}
