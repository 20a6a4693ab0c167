import { atomicSetOf, type Pod, type PodSpec } from '../pod.ts';
import { podRequests } from '../pod-requests.ts';
import type { Resources } from '../resources.ts';
import { byName } from '../names.ts';
import type { LabelSelector, Labels } from '../selectors.ts';
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
  /** Of the first pod seen; other pods of the kind may differ in labels that no selector of the cluster names. */
  readonly labels: Labels;
  readonly spec: PodSpec;
  /** Terminating pods are left out of topology spread; they count for all else. */
  readonly terminating: boolean;
  /** Of pods that wait and go together: their controller's uid, so that the sets of two controllers do not mix. */
  readonly atomicSet: string | null;
  readonly requests: Resources;
  /** The same as parallel arrays of resource index and amount, without zeros and without the pod count. */
  readonly requestIndex: readonly number[];
  readonly requestAmount: readonly number[];
}

/** The label keys that some selector of the cluster names: only these can make a difference between pods. */
export interface SelectorKeys {
  readonly keys: readonly string[];
}

export function selectorKeys(pods: Iterable<Pod>): SelectorKeys {
  const keys = new Set<string>();
  const seen = new Set<PodSpec>();
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
  for (const { spec } of pods) {
    if (seen.has(spec)) {
      continue;
    }
    seen.add(spec);
    for (const constraint of spec.topologySpread) {
      take(constraint.labelSelector, constraint.matchLabelKeys);
    }
    for (const term of [...spec.podAffinity, ...spec.podAntiAffinity]) {
      take(term.labelSelector, [...term.matchLabelKeys, ...term.mismatchLabelKeys]);
    }
    for (const { term } of [...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity]) {
      take(term.labelSelector, [...term.matchLabelKeys, ...term.mismatchLabelKeys]);
    }
  }
  return { keys: [...keys].sort(byName) };
}

/** Numbers the kinds of one snapshot. */
export class KindTable {
  readonly kinds: PodKind[] = [];
  readonly #byKey = new Map<string, PodKind>();
  readonly #specKeys = new Map<PodSpec, number>();
  readonly #specIds = new Map<string, number>();
  readonly #resources: ResourceTable;
  readonly #keys: readonly string[];

  constructor(resources: ResourceTable, keys: SelectorKeys) {
    this.#resources = resources;
    this.#keys = keys.keys;
  }

  of(pod: Pod): PodKind {
    const key = this.#keyOf(pod);
    let kind = this.#byKey.get(key);
    if (kind === undefined) {
      kind = this.#create(pod);
      this.#byKey.set(key, kind);
    }
    return kind;
  }

  /** A short text that is the same for equal kinds of any two snapshots, as long as selectors name the same labels. */
  fingerprint(kind: PodKind): string {
    const labels = this.#keys.map((key) => kind.labels[key] ?? null);
    const set = kind.atomicSet === null ? '' : `\n${kind.atomicSet}`;
    return digest(`${canonical(kind.spec)}\n${kind.namespace}\n${JSON.stringify(labels)}${set}`);
  }

  #keyOf(pod: Pod): string {
    let key = `${this.#specId(pod.spec)}\n${pod.namespace}`;
    for (const label of this.#keys) {
      const value = pod.labels[label];
      key += value === undefined ? '\n' : `\n=${value}`;
    }
    if (pod.deletedAt !== null) {
      key += '\nterminating';
    }
    if (pod.resize !== null && pod.nodeName !== null) {
      key += `\n${canonical(pod.resize)}`;
    }
    const set = waitingSetOf(pod);
    if (set !== null) {
      key += `\n${set}`;
    }
    // Generic ephemeral claims are named after their pod, so such pods are one of a kind.
    if (pod.spec.volumes.some((volume) => volume.kind === 'ephemeralClaim')) {
      key += `\n${pod.name}\n${pod.uid}`;
    }
    return key;
  }

  /** Specs that were made one by the edge cost one look-up; others are compared by their content. */
  #specId(spec: PodSpec): number {
    let id = this.#specKeys.get(spec);
    if (id === undefined) {
      const content = canonical(spec);
      id = this.#specIds.get(content);
      if (id === undefined) {
        id = this.#specIds.size;
        this.#specIds.set(content, id);
      }
      this.#specKeys.set(spec, id);
    }
    return id;
  }

  #create(pod: Pod): PodKind {
    const requests = podRequests(pod);
    const requestIndex: number[] = [];
    const requestAmount: number[] = [];
    for (const name of Object.keys(requests).sort(byName)) {
      const index = this.#resources.indexOf(name);
      if (index !== PODS_INDEX && requests[name]! > 0) {
        requestIndex.push(index);
        requestAmount.push(requests[name]!);
      }
    }
    const kind: PodKind = {
      id: this.kinds.length,
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      labels: pod.labels,
      spec: pod.spec,
      terminating: pod.deletedAt !== null,
      atomicSet: waitingSetOf(pod),
      requests,
      requestIndex,
      requestAmount,
    };
    this.kinds.push(kind);
    return kind;
  }
}

/** Once a pod has a node it does not matter any more what it came with. */
const waitingSetOf = (pod: Pod): string | null => (pod.nodeName === null ? atomicSetOf(pod) : null);

/** JSON with sorted keys: equal content gives equal text, whatever order its fields were written in. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) {
      return inner;
    }
    const record = inner as Readonly<Record<string, unknown>>;
    const names = Object.keys(record);
    for (let i = 1; i < names.length; i++) {
      if (names[i - 1]! > names[i]!) {
        return Object.fromEntries(names.sort(byName).map((name) => [name, record[name]]));
      }
    }
    return record;
  });
}

/** 106 bits of a text, in base 36: two FNV-like streams with a final mix. Not for secrets. */
export function digest(text: string): string {
  return `${hash53(text, 0x9e3779b9)}${hash53(text, 0x85ebca6b)}`;
}

function hash53(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (2 ** 32 * (2_097_151 & low) + (high >>> 0)).toString(36).padStart(11, '0');
}
