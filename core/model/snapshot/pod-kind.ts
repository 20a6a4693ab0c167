import { sortedBy } from '../values/sorted.ts';
import { textBefore } from '../values/existing.ts';
import { gangOf, isDaemon, type Pod, type PodAffinityTerm, type PodSpec, termCount } from '../cluster/pod.ts';
import {
  boundedPodSpec,
  type BoundedPodSpec,
  LONGEST_SPEC,
  reducedPodSpec,
  TOO_LONG,
} from '../cluster/bounded-pod-spec.ts';
import { podRequests } from '../cluster/pod-requests.ts';
import { rememberedOf } from '../values/remembered.ts';
import type { Resources } from '../values/resources.ts';
import { byName } from '../values/names.ts';
import { isSameContent } from '../values/same-content.ts';
import type { LabelSelector, Labels } from '../cluster/selectors.ts';
import { digest, type DigestStart, startDigest } from './digest.ts';
import { PODS_INDEX, type ResourceTable } from './resource-table.ts';

/**
 * Pods that no scheduler plugin can tell apart: the unit of all work. A thousand replicas are one kind with a count.
 */
export interface PodKind {
  /** Dense, from 0, in the order in which kinds were first seen. */
  readonly id: number;
  readonly namespace: string;
  /** Name and uid are of the first pod seen; they matter only to pods with generic ephemeral volumes. */
  readonly name: string;
  readonly uid: string;
  /**
   * Labels of the first pod seen; other pods of the kind may differ in labels that no selector of the cluster names.
   */
  readonly labels: Labels;
  /** The followed part of the pod's spec. */
  readonly spec: PodSpec;
  /** Why not everything of it is, in words (`followed`); `null` where everything is. */
  readonly tooMany: string | null;
  /** No other pod is simulated on a node with a pod of this kind. */
  readonly closesNode: boolean;
  /** Terminating pods are left out of topology spread; they count for all else. */
  readonly terminating: boolean;
  /** For pending pods of a gang: the key of their controller, so that the gangs of two controllers do not mix. */
  readonly gang: string | null;
  readonly requests: Resources;
  /** The same as parallel arrays of resource index and amount, without zeros and without the pod count. */
  readonly requestIndex: readonly number[];
  readonly requestAmount: readonly number[];
}

/** The label keys that some selector of the cluster names: only these can make a difference between pods. */
export interface SelectorKeys {
  readonly keys: readonly string[];
}

/** @param extra further pods, apart from a list that may be asked about again. */
export function selectorKeys(pods: readonly Pod[], extra: Iterable<Pod> = []): SelectorKeys {
  const keys = new Set<string>();
  for (const whole of new Set([...selectingAmong(pods), ...selectingIn(extra)])) {
    addSelectorKeys((followedSpecs.get(whole)?.followed ?? boundedPodSpec(whole)).spec, keys);
  }
  return { keys: [...keys].sort(byName) };
}

/** Adds the label keys that the selectors of a spec name. */
export function addSelectorKeys(spec: PodSpec, keys: Set<string>): void {
  const take = (selector: LabelSelector | null, extra: readonly string[]): void => {
    if (selector !== null) {
      for (const key in selector.matchLabels) {
        keys.add(key);
      }
      for (const requirement of selector.matchExpressions) {
        keys.add(requirement.key);
      }
    }
    for (const key of extra) {
      keys.add(key);
    }
  };
  const takeTerm = (term: PodAffinityTerm): void => {
    take(term.labelSelector, term.matchLabelKeys);
    take(null, term.mismatchLabelKeys);
  };
  const takeWeighted = ({ term }: { readonly term: PodAffinityTerm }): void => takeTerm(term);
  for (const constraint of spec.topologySpread) {
    take(constraint.labelSelector, constraint.matchLabelKeys);
  }
  spec.podAffinity.forEach(takeTerm);
  spec.podAntiAffinity.forEach(takeTerm);
  spec.preferredPodAffinity.forEach(takeWeighted);
  spec.preferredPodAntiAffinity.forEach(takeWeighted);
}

/** The specs that select other pods. */
function selectingIn(pods: Iterable<Pod>): ReadonlySet<PodSpec> {
  const specs = new Set<PodSpec>();
  for (const { spec } of pods) {
    if (termCount(spec) > 0) {
      specs.add(spec);
    }
  }
  return specs;
}

const selectingAmong = rememberedOf(selectingIn);

/** Facts about a spec that hold in every snapshot. */
interface FollowedSpec {
  readonly followed: BoundedPodSpec;
  /** The followed part of the spec as JSON with sorted fields: one text for all specs of equal content. */
  readonly sorted: string;
  readonly digestStart: DigestStart;
  /** Generic ephemeral claims are named after their pod, so such pods are one of a kind. */
  readonly oneOfAKind: boolean;
}

/** The objects of specs outlive a snapshot, and they are never changed. */
const followedSpecs = new WeakMap<PodSpec, FollowedSpec>();

/** Facts that specs of equal content share. */
interface SpecContent {
  readonly known: FollowedSpec;
  /** The kinds of pods with such a spec, by `#keyOf`. */
  readonly kinds: Map<string, PodKind>;
}

/** The part of a fingerprint that is the same for all kinds that differ only in labels. */
export const sharedPart = (fingerprint: string): string => textBefore(fingerprint, '.');

/** With at least this many label keys, the pod's own labels are iterated instead. */
const MANY_KEYS = 64;

/**
 * The spec of a daemon pod without the node that it is made for. The DaemonSet controller binds each of its pods by node affinity,
 * which says nothing once the pod is there, for it never moves: without it, the pods of a DaemonSet are of one kind, and not of as
 * many as there are nodes.
 */
export const unpinned = rememberedOf((spec: PodSpec): PodSpec => {
  const { nodeAffinity } = spec;
  if (nodeAffinity === null || nodeAffinity.every(({ matchFields }) => matchFields.length === 0)) {
    return spec;
  }
  const terms = nodeAffinity.map((term) => ({ ...term, matchFields: [] }));
  const isFree = terms.some(({ matchExpressions }) => matchExpressions.length === 0);
  return { ...spec, nodeAffinity: isFree ? null : terms };
});

/** Numbers the kinds of one snapshot. */
export class KindTable {
  readonly kinds: PodKind[] = [];
  readonly #bySpec = new Map<PodSpec, SpecContent>();
  /** Specs that are followed in full, by `outlineOf`: the first spec with each outline. */
  readonly #byOutline = new Map<string, SpecContent>();
  /** By the JSON of the spec in its own field order. */
  readonly #byText = new Map<string, SpecContent>();
  readonly #byContent = new Map<string, SpecContent>();
  /** By kind. */
  readonly #fingerprints: (string | undefined)[] = [];
  readonly #resources: ResourceTable;
  readonly #keys: readonly string[];
  #known: Set<string> | null = null;

  constructor(resources: ResourceTable, keys: SelectorKeys) {
    this.#resources = resources;
    this.#keys = keys.keys;
  }

  of(pod: Pod): PodKind {
    const content = this.#contentOf(pod.nodeName !== null && isDaemon(pod) ? unpinned(pod.spec) : pod.spec);
    const { kinds } = content;
    const key = this.#keyOf(pod, content);
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = this.#create(pod, content.known.followed);
      kinds.set(key, kind);
    }
    return kind;
  }

  /**
   * A short text that is the same for equal kinds of any two snapshots, as long as selectors name the same of their
   * labels; up to `sharedPart` it always is.
   */
  fingerprint(kind: PodKind): string {
    return (this.#fingerprints[kind.id] ??= this.#fingerprintOf(kind));
  }

  #fingerprintOf(kind: PodKind): string {
    // Selectors for labels that a pod does not have, of whichever workloads come and go, leave its fingerprint alone.
    const labels = this.#selected(kind.labels).map((key) => [key, kind.labels[key]]);
    const set = kind.gang === null ? '' : `\n${kind.gang}`;
    const start = this.#contentOf(kind.spec).known.digestStart;
    const shared = digest(start, `\n${kind.namespace}${set}`);
    return labels.length === 0 ? shared : `${shared}.${digest(start, `\n${JSON.stringify(labels)}`)}`;
  }

  /**
   * The key that distinguishes pods of one spec: for most pods just the namespace, so that no text is made for each
   * pod.
   */
  #keyOf(pod: Pod, { known: { oneOfAKind, followed } }: SpecContent): string {
    const { tooMany } = followed;
    let key = pod.namespace;
    if (this.#keys.length > MANY_KEYS) {
      for (const label of this.#selected(pod.labels)) {
        key += `\n${label}=${pod.labels[label]}`;
      }
    } else {
      for (const label of this.#keys) {
        const value = pod.labels[label];
        key += value === undefined ? '\n' : `\n=${value}`;
      }
    }
    if (tooMany !== null) {
      key += `\n${tooMany}\n${canonical(podRequests(pod))}`;
    }
    if (pod.deletedAt !== null) {
      key += '\nterminating';
    }
    if (pod.resize !== null && pod.nodeName !== null && tooMany === null) {
      key += `\n${canonical(pod.resize)}`;
    }
    const set = waitingGangOf(pod);
    if (set !== null) {
      key += `\n${set}`;
    }
    if (oneOfAKind) {
      key += `\n${pod.name}\n${pod.uid}`;
    }
    return key;
  }

  /** The labels of a pod that some selector names, in order: found by the shorter of the two lists. */
  #selected(labels: Labels): readonly string[] {
    if (this.#keys.length <= MANY_KEYS) {
      return this.#keys.filter((key) => Object.hasOwn(labels, key));
    }
    this.#known ??= new Set(this.#keys);
    const selected: string[] = [];
    for (const key in labels) {
      if (this.#known.has(key)) {
        selected.push(key);
      }
    }
    return selected.sort(byName);
  }

  #contentOf(spec: PodSpec): SpecContent {
    let content = this.#bySpec.get(spec);
    if (content === undefined) {
      const known = followedSpecs.get(spec);
      content = known === undefined ? this.#contentOfNew(spec) : this.#contentBy(known);
      this.#bySpec.set(spec, content);
    }
    return content;
  }

  /**
   * Specs that were made one by the edge cost one look-up. Other specs are compared by content: with the first spec of
   * their outline, which most equal, or else by text.
   */
  #contentOfNew(spec: PodSpec): SpecContent {
    const outline = outlineOf(spec);
    const like = this.#byOutline.get(outline);
    const content =
      like !== undefined && isSameContent(like.known.followed.spec, spec) ? like : this.#contentByText(spec);
    if (like === undefined && content.known.followed.tooMany === null) {
      this.#byOutline.set(outline, content);
    }
    followedSpecs.set(spec, content.known);
    return content;
  }

  /** Most specs are written in the same way: plain JSON finds them for a third of what sorted fields cost. */
  #contentByText(spec: PodSpec): SpecContent {
    let own = boundedPodSpec(spec);
    let text = JSON.stringify(own.spec);
    if (text.length > LONGEST_SPEC) {
      own = reducedPodSpec(spec, TOO_LONG);
      text = JSON.stringify(own.spec);
    }
    if (own.tooMany !== null) {
      text = JSON.stringify(own);
    }
    let content = this.#byText.get(text);
    if (content === undefined) {
      const sorted = canonical(own.tooMany === null ? own.spec : own);
      const oneOfAKind = own.spec.volumes.some(({ kind }) => kind === 'ephemeralClaim');
      content = this.#contentBy({ followed: own, sorted, digestStart: startDigest(sorted), oneOfAKind });
      this.#byText.set(text, content);
    }
    return content;
  }

  #contentBy(known: FollowedSpec): SpecContent {
    let content = this.#byContent.get(known.sorted);
    if (content === undefined) {
      content = { known, kinds: new Map() };
      this.#byContent.set(known.sorted, content);
    }
    return content;
  }

  #create(pod: Pod, { spec, tooMany, closesNode }: BoundedPodSpec): PodKind {
    const requests = podRequests(pod);
    const requestIndex: number[] = [];
    const requestAmount: number[] = [];
    for (const [name, amount] of sortedBy(Object.entries(requests), ([key]) => key)) {
      const index = this.#resources.indexOf(name);
      if (index !== PODS_INDEX && amount > 0) {
        requestIndex.push(index);
        requestAmount.push(amount);
      }
    }
    const kind: PodKind = {
      id: this.kinds.length,
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      labels: pod.labels,
      spec,
      tooMany,
      closesNode,
      terminating: pod.deletedAt !== null,
      gang: waitingGangOf(pod),
      requests,
      requestIndex,
      requestAmount,
    };
    this.kinds.push(kind);
    return kind;
  }
}

/**
 * A short text that distinguishes most different specs: the containers' requests, and the pods that required terms
 * select. Outlines of equal specs may differ by the order of fields.
 */
function outlineOf({ containers, topologySpread, podAffinity, podAntiAffinity }: PodSpec): string {
  let text = '';
  for (const { requests } of containers) {
    for (const name in requests) {
      text += `${requests[name]} `;
    }
  }
  return `${text}${selectedBy(topologySpread)}\n${selectedBy(podAffinity)}\n${selectedBy(podAntiAffinity)}`;
}

function selectedBy(terms: readonly Pick<PodAffinityTerm, 'topologyKey' | 'labelSelector'>[]): string {
  let text = '';
  for (const { topologyKey, labelSelector } of terms) {
    text += `${topologyKey} `;
    const matchLabels = labelSelector?.matchLabels ?? {};
    for (const name in matchLabels) {
      text += `${matchLabels[name]} `;
    }
  }
  return text;
}

/** Once a pod has a node it does not matter any more what it came with. */
const waitingGangOf = (pod: Pod): string | null => (pod.nodeName === null ? gangOf(pod) : null);

/** JSON with sorted keys: equal content gives equal text, whatever order its fields were written in. */
export const canonical = (value: unknown): string =>
  // A function for each field makes JSON several times as slow: the replacer is used only if fields are out of order.
  isInOrder(value) ? JSON.stringify(value) : JSON.stringify(value, (_, inner: unknown) => inOrder(inner));

/** Are the fields of a value, and of everything in it, in the order of their names? */
function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.every(isInOrder);
  }
  const record = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(record);
  return isSorted(names) && names.every((name) => isInOrder(record[name]));
}

/** The same fields in the order of their names. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  const record = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(record);
  return isSorted(names) ? record : Object.fromEntries(names.sort(byName).map((name) => [name, record[name]]));
}

function isSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) {
    if (names[i - 1]! > names[i]!) {
      return false;
    }
  }
  return true;
}
