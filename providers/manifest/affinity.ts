import type { NodeSelectorTerm } from '@outrigger/core/model/cluster/selectors.ts';
import type { PodAffinityTerm, PodSpec, PreferredTerm } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Fields,
  type Manifest,
  integerIn,
  itemsReader,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  readFields,
  stringsReader,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
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

const readPodAffinityTerm: Reader<PodAffinityTerm> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    topologyKey: nameIn(fields, 'topologyKey', place, problems),
    labelSelector: podSelectorIn(fields, 'labelSelector', place, problems),
    namespaces: namespacesIn(fields, 'namespaces', place, problems),
    namespaceSelector: podSelectorIn(fields, 'namespaceSelector', place, problems),
    matchLabelKeys: labelKeysIn(fields, 'matchLabelKeys', place, problems),
    mismatchLabelKeys: labelKeysIn(fields, 'mismatchLabelKeys', place, problems),
  };
};

/** A preferred term: `{weight, preference}` for nodes, `{weight, podAffinityTerm}` for pods. */
function weighted<T>(key: string, read: Reader<T>): Reader<PreferredTerm<T>> {
  return (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      weight: integerIn(fields, 'weight', place, problems) ?? 0,
      term: read(objectIn(fields, key, place, problems), fieldOf(place, key), problems),
    };
  };
}

const podTermsIn = itemsReader(readPodAffinityTerm, MOST_READ.affinityTerms);
const preferredNodeTermsIn = itemsReader(weighted('preference', readPodNodeSelectorTerm), MOST_READ.nodeAffinityTerms);
const preferredPodTermsIn = itemsReader(weighted('podAffinityTerm', readPodAffinityTerm), MOST_READ.affinityTerms);

/** Reads `affinity` of a pod's spec. */
export function affinityIn(spec: Fields, place: string, problems: Invalid[]): Affinity {
  const affinity = optionalObjectIn(spec, 'affinity', place, problems);
  if (affinity === null) {
    return NO_AFFINITY;
  }
  const at = fieldOf(place, 'affinity');
  const node = objectIn(affinity, 'nodeAffinity', at, problems);
  const pod = objectIn(affinity, 'podAffinity', at, problems);
  const anti = objectIn(affinity, 'podAntiAffinity', at, problems);
  const atNode = `${at}.nodeAffinity`;
  const atPod = `${at}.podAffinity`;
  const atAnti = `${at}.podAntiAffinity`;
  return {
    nodeAffinity: podNodeSelectorIn(node, REQUIRED, atNode, problems),
    preferredNodeAffinity: preferredNodeTermsIn(node, PREFERRED, atNode, problems),
    podAffinity: podTermsIn(pod, REQUIRED, atPod, problems),
    preferredPodAffinity: preferredPodTermsIn(pod, PREFERRED, atPod, problems),
    podAntiAffinity: podTermsIn(anti, REQUIRED, atAnti, problems),
    preferredPodAntiAffinity: preferredPodTermsIn(anti, PREFERRED, atAnti, problems),
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
