import type { Eviction } from '../model/drain.ts';
import { type ControllerRef, hasClaims, PLAIN_POD_SPEC, type Pod, type PodSpec } from '../model/cluster/pod.ts';
import { READ_ANNOTATIONS } from '../model/cluster/read-annotations.ts';
import type { Labels } from '../model/cluster/selectors.ts';
import { addSelectorKeys } from '../model/snapshot/pod-kind.ts';
import { byName } from '../model/values/names.ts';

/**
 * Limit for each annotation that is read (annotations say how the pod's replacement is to be scheduled); a longer one
 * is left out.
 */
const LONGEST_ANNOTATION = 256;
/** Limit for the keys and values of all labels: some twenty labels of the greatest length, several times what pods have. */
const MOST_LABELS = 8 * 1024;
/** Limit for a spec as JSON: a pod with ten containers and affinity takes about 4 KB. */
const LARGEST_SPEC = 16 * 1024;
/** Names of objects are DNS subdomains; uids are the API server's. An owner reference may claim what it likes. */
const LONGEST_NAME = 253;

/** A pod as it is remembered after its eviction. */
type EvictedPod = Pick<Eviction, 'manifest' | 'abridged'>;

/**
 * The parts of a pod that are stored when it is evicted: what re-planning reads, no more than about 30 KB whatever the
 * pod's owner wrote. Labels that the pod's own selectors name come first, then the others by name.
 *
 * The spec is kept whole, for its fingerprint finds the replacement among reserved places; one that is too large is left
 * out, and `abridged` says so.
 */
export function evictedPod(pod: Pod): EvictedPod {
  const kept: Pod = {
    ...pod,
    labels: keptLabels(pod),
    annotations: keptAnnotations(pod.annotations),
    controller: pod.controller !== null && isPlausible(pod.controller) ? pod.controller : null,
    nominatedNodeName: null,
    unscheduled: null,
    resize: null,
  };
  if (JSON.stringify(pod.spec).length > LARGEST_SPEC) {
    return abridged(kept);
  }
  return { manifest: kept };
}

/** Without the spec, as far as it is not read while the drain goes on, and without labels. Less than 2 KB. */
export const abridged = (pod: Pod): EvictedPod => ({
  manifest: { ...pod, labels: {}, spec: abridgedSpec(pod.spec) },
  abridged: true,
});

const abridgedSpec = ({ priority, terminationGracePeriodSeconds, volumes }: PodSpec): PodSpec => ({
  ...PLAIN_POD_SPEC,
  priority,
  terminationGracePeriodSeconds,
  // A claim decides whether to wait for volumes.
  volumes: hasClaims({ volumes }) ? [{ kind: 'claim', name: '', claimName: '', readOnly: false }] : [],
});

const isPlausible = ({ apiVersion, kind, name, uid }: ControllerRef): boolean =>
  [apiVersion, kind, name, uid].every(({ length }) => length <= LONGEST_NAME);

const keptAnnotations = (annotations: Labels): Labels =>
  Object.fromEntries(
    READ_ANNOTATIONS.flatMap((key) => {
      const value = annotations[key];
      return value !== undefined && value.length <= LONGEST_ANNOTATION ? [[key, value] as const] : [];
    }),
  );

function keptLabels({ labels, spec }: Pod): Labels {
  const entries = Object.entries(labels);
  const lengthOf = ([key, value]: readonly [string, string]): number => key.length + value.length;
  if (entries.reduce((sum, entry) => sum + lengthOf(entry), 0) <= MOST_LABELS) {
    return labels;
  }
  const own = new Set<string>();
  addSelectorKeys(spec, own);
  const byNeed = entries.sort(([a], [b]) => Number(own.has(b)) - Number(own.has(a)) || byName(a, b));
  let length = 0;
  return Object.fromEntries(byNeed.filter((entry) => (length += lengthOf(entry)) <= MOST_LABELS));
}
