import { mapOptional } from '../values/optional.ts';
import type { LabelSelector, NodeSelectorTerm } from './selectors.ts';
import { type AmountsSpec, PLAIN_POD_SPEC, type PodAffinityTerm, type PodSpec, termCount, type Volume } from './pod.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, NO_RESOURCES, type Resources } from '../values/resources.ts';
import { byName } from '../values/names.ts';

/**
 * How much of each the simulation follows, of one pod. The API server bounds only a pod's bytes, and ten thousand terms fit
 * into these; time and memory grow with the terms of all pods times the nodes. What people write has a tenth of this.
 */
export const POD_SPEC_LIMITS = {
  affinityTerms: 64,
  nodeAffinityTerms: 64,
  /** Each may name a topology of its own, which is kept for every node. */
  spreadConstraints: 16,
  requirements: 256,
  /** Values of all requirements together, and names of namespaces: a list of instance types has several hundred. */
  values: 4_096,
  tolerations: 256,
  hostPorts: 256,
  volumes: 256,
  containers: 256,
  /** Short resources are recorded in a number with one bit per resource. */
  resources: 32,
} as const;

/** As JSON, in UTF-16 code units: names that the API server does not bound are part of it. */
export const LONGEST_SPEC = 65_536;

/** The followed part of a pod's spec. */
export interface BoundedPodSpec {
  /** The very spec if no part exceeds a limit; else the parts that affect other pods. */
  readonly spec: PodSpec;
  /** The part that is unknown or exceeds a limit, in words; `null` where there is none. */
  readonly tooMany: string | null;
  /** `spec` lacks terms that keep other pods away from the pod's node: no other pod is simulated there. */
  readonly closesNode: boolean;
}

/**
 * Bounds a spec. A pod of which not everything is followed gets no place in a simulation; where it is on a node, its
 * requests count, and so do its first terms of anti-affinity, host ports and volumes.
 */
export function boundedPodSpec(spec: PodSpec): BoundedPodSpec {
  const tooMany = excessOf(spec) ?? spec.excess ?? null;
  return tooMany === null ? { spec, tooMany, closesNode: false } : reducedPodSpec(spec, tooMany);
}

/**
 * Why not everything of a spec is followed, its length included; `null` where everything is. Worked out once for a spec,
 * however many nodes it is asked about.
 */
export function podSpecExcess(spec: PodSpec): string | null {
  let why = reasons.get(spec);
  if (why === undefined) {
    why = excessOf(spec) ?? spec.excess ?? (JSON.stringify(spec).length > LONGEST_SPEC ? TOO_LONG : null);
    reasons.set(spec, why);
  }
  return why;
}

const reasons = new WeakMap<PodSpec, string | null>();

/** The part of a spec that is unknown or exceeds a limit, in words. Looks at lengths before it looks into anything. */
function excessOf(spec: PodSpec): string | null {
  const terms = termCount(spec) - spec.topologySpread.length;
  const containers = spec.containers.length + spec.initContainers.length;
  const nodeTerms = (spec.nodeAffinity?.length ?? 0) + spec.preferredNodeAffinity.length;
  return (
    unknownFieldOf(spec) ??
    tooMany('pod affinity terms', terms, POD_SPEC_LIMITS.affinityTerms) ??
    tooMany('node affinity terms', nodeTerms, POD_SPEC_LIMITS.nodeAffinityTerms) ??
    tooMany('topology spread constraints', spec.topologySpread.length, POD_SPEC_LIMITS.spreadConstraints) ??
    tooMany('tolerations', spec.tolerations.length, POD_SPEC_LIMITS.tolerations) ??
    tooMany('volumes', spec.volumes.length, POD_SPEC_LIMITS.volumes) ??
    tooMany('containers', containers, POD_SPEC_LIMITS.containers) ??
    tooMany('host ports', hostPortsOf(spec), POD_SPEC_LIMITS.hostPorts) ??
    tooMany('requested resources', tooManyResources(spec)?.size ?? 0, POD_SPEC_LIMITS.resources) ??
    (terms + nodeTerms + spec.topologySpread.length === 0 && countOf(spec.nodeSelector) <= POD_SPEC_LIMITS.requirements
      ? null
      : excessOfSelectors(spec))
  );
}

const unknownFieldOf = ({ unknownField }: PodSpec): string | null =>
  unknownField === undefined ? null : `spec.${unknownField} is not a field that this version of Outrigger knows`;

const tooMany = (what: string, count: number, most: number): string | null =>
  count > most ? `too many ${what}: more than the ${most} that are followed` : null;

/** The same of a spec that is too long in all. */
export const TOO_LONG = `too long a spec: more than the ${LONGEST_SPEC} characters that are followed`;

function excessOfSelectors(spec: PodSpec): string | null {
  const size = new SelectorSize();
  spec.podAffinity.forEach((term) => size.addTerm(term));
  spec.podAntiAffinity.forEach((term) => size.addTerm(term));
  spec.preferredPodAffinity.forEach(({ term }) => size.addTerm(term));
  spec.preferredPodAntiAffinity.forEach(({ term }) => size.addTerm(term));
  spec.nodeAffinity?.forEach((term) => size.addNodeTerm(term));
  spec.preferredNodeAffinity.forEach(({ term }) => size.addNodeTerm(term));
  for (const { labelSelector, matchLabelKeys } of spec.topologySpread) {
    size.addSelector(labelSelector);
    size.requirements += matchLabelKeys.length;
  }
  size.requirements += Object.keys(spec.nodeSelector).length;
  return (
    tooMany('label requirements', size.requirements, POD_SPEC_LIMITS.requirements) ??
    tooMany('values of label requirements', size.values, POD_SPEC_LIMITS.values)
  );
}

/** Adds up what selectors ask for. */
class SelectorSize {
  requirements = 0;
  values = 0;

  addTerm({ labelSelector, namespaceSelector, namespaces, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): void {
    this.addSelector(labelSelector);
    this.addSelector(namespaceSelector);
    this.requirements += matchLabelKeys.length + mismatchLabelKeys.length;
    this.values += namespaces.length;
  }

  addNodeTerm({ matchExpressions, matchFields }: NodeSelectorTerm): void {
    this.#add(matchExpressions);
    this.#add(matchFields);
  }

  addSelector(selector: LabelSelector | null): void {
    if (selector !== null) {
      this.requirements += Object.keys(selector.matchLabels).length;
      this.#add(selector.matchExpressions);
    }
  }

  #add(expressions: readonly { readonly values: readonly string[] }[]): void {
    this.requirements += expressions.length;
    for (const { values } of expressions) {
      this.values += values.length;
    }
  }
}

function hostPortsOf({ containers, initContainers }: PodSpec): number {
  let count = 0;
  for (const { hostPorts } of containers) {
    count += hostPorts.length;
  }
  for (const { hostPorts } of initContainers) {
    count += hostPorts.length;
  }
  return count;
}

/** Names of the resources of a spec, if they are more than are followed; `null` otherwise. */
function tooManyResources({
  containers,
  initContainers,
  overhead,
  podRequests,
}: AmountsSpec): ReadonlySet<string> | null {
  const records = [
    overhead,
    podRequests ?? NO_RESOURCES,
    ...containers.map(({ requests }) => requests),
    ...initContainers.map(({ requests }) => requests),
  ];
  const most = records.reduce((sum, record) => sum + countOf(record), 0);
  if (most <= POD_SPEC_LIMITS.resources) {
    return null;
  }
  // Most containers request the same resources: distinct names are counted only if the sum exceeds the limit.
  const names = new Set(records.flatMap(Object.keys));
  return names.size > POD_SPEC_LIMITS.resources ? names : null;
}

/** Names of the resources that are followed of a spec; `null`: all of its resources. */
export function boundedResources(spec: AmountsSpec): ReadonlySet<string> | null {
  const names = tooManyResources(spec);
  return mapOptional(names, firstOf);
}

/** No more resources than are followed. */
export function boundedRequests(requests: Resources): Resources {
  const names = Object.keys(requests);
  if (names.length <= POD_SPEC_LIMITS.resources) {
    return requests;
  }
  const kept = firstOf(names);
  return Object.fromEntries(Object.entries(requests).filter(([name]) => kept.has(name)));
}

function firstOf(names: Iterable<string>): ReadonlySet<string> {
  const others = [...names].filter((name) => !ESSENTIAL.has(name)).sort(byName);
  return new Set([...ESSENTIAL, ...others.slice(0, POD_SPEC_LIMITS.resources - ESSENTIAL.size)]);
}

/** Resources that are always kept, whatever else a pod requests. */
const ESSENTIAL: ReadonlySet<string> = new Set([CPU, MEMORY, EPHEMERAL_STORAGE]);

function countOf(record: object): number {
  let count = 0;
  for (const _ in record) {
    count += 1;
  }
  return count;
}

/**
 * The part of a pod that affects other pods, as far as it is followed: no affinity terms where the pod's namespace has
 * too many.
 */
export function reducedPodSpec(spec: PodSpec, why: string): BoundedPodSpec {
  const most = spec.excess === undefined ? POD_SPEC_LIMITS.affinityTerms : 0;
  const size = new SelectorSize();
  const terms: PodAffinityTerm[] = [];
  for (const term of spec.podAntiAffinity.slice(0, most)) {
    size.addTerm(term);
    if (size.requirements <= POD_SPEC_LIMITS.requirements && size.values <= POD_SPEC_LIMITS.values) {
      terms.push(term);
    }
  }
  const ports = [...spec.initContainers.filter(({ restartable }) => restartable), ...spec.containers].flatMap(
    ({ hostPorts }) => hostPorts,
  );
  const hostPorts = ports.slice(0, POD_SPEC_LIMITS.hostPorts);
  const volumes = spec.volumes.slice(0, POD_SPEC_LIMITS.volumes).filter(isNamed);
  return {
    spec: {
      ...PLAIN_POD_SPEC,
      priority: spec.priority,
      podAntiAffinity: terms,
      containers: hostPorts.length === 0 ? [] : [{ name: '', requests: {}, hostPorts, restartable: false }],
      volumes,
    },
    tooMany: why,
    closesNode:
      terms.length < spec.podAntiAffinity.length ||
      hostPorts.length < ports.length ||
      volumes.length < spec.volumes.length,
  };
}

/** No claim and no disk has a longer name. */
const isNamed = (volume: Volume): boolean => JSON.stringify(volume).length <= 1_024;
