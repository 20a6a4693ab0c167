import type { DomainSet, DomainWatcher, NodeSet } from './node-set.ts';
import { NO_DOMAIN, type Topology } from './topology.ts';

/** Notified of pods that come to a node (a negative count: that leave it). */
export interface Counter {
  add(nodeIndex: number, count: number): void;
}

/** Counts pods wherever they are. */
export class TotalCounter implements Counter {
  total = 0;

  add(_: number, count: number): void {
    this.total += count;
  }
}

/** Counts pods by the domain of their node; pods on nodes without the label count nowhere. */
export class DomainCounter implements Counter {
  readonly domainOf: readonly number[];
  /** As long as the last domain with a pod requires: very many terms may select no pod at all. */
  readonly counts: number[] = [];
  total = 0;

  constructor(topology: Topology) {
    this.domainOf = topology.domainOf;
  }

  add(nodeIndex: number, count: number): void {
    const domain = this.domainOf[nodeIndex]!;
    if (domain !== NO_DOMAIN) {
      while (this.counts.length <= domain) {
        this.counts.push(0);
      }
      this.counts[domain]! += count;
      this.total += count;
    }
  }
}

/**
 * Counts pods by domain, of the nodes of a set, and knows the smallest count of all domains that have such a node:
 * a histogram of the counts is kept, so that a change costs a step or two however many domains there are.
 */
export class SpreadCounter implements Counter, DomainWatcher {
  readonly domainOf: readonly number[];
  readonly counts: number[] = [];
  readonly domains: DomainSet;
  readonly #has: readonly boolean[];
  /** How many domains have each count. */
  readonly #histogram: number[] = [0];
  #min = 0;

  constructor(topology: Topology, nodes: NodeSet) {
    this.domainOf = topology.domainOf;
    this.#has = nodes.has;
    this.domains = nodes.domains(topology);
    topology.eachDomain(() => this.counts.push(0));
    for (let domain = 0; domain < topology.size; domain++) {
      if (this.domains.nodes[domain]! > 0) {
        this.domainAppeared(domain);
      }
    }
    this.domains.watch(this);
  }

  /** The smallest count of any domain; without a domain it means nothing. */
  get min(): number {
    return this.#min;
  }

  /** Do pods on this node count? */
  counted(nodeIndex: number): boolean {
    return this.#has[nodeIndex]! && this.domainOf[nodeIndex] !== NO_DOMAIN;
  }

  /** The smallest count of all domains but this one (which must have a node); infinite without another domain. */
  minOfOthers(domain: number): number {
    if (this.domains.size < 2) {
      return Number.POSITIVE_INFINITY;
    }
    if (this.counts[domain]! > this.#min || this.#histogram[this.#min]! > 1) {
      return this.#min;
    }
    let next = this.#min + 1;
    while (this.#histogram[next] === 0) {
      next++;
    }
    return next;
  }

  add(nodeIndex: number, count: number): void {
    if (!this.counted(nodeIndex)) {
      return;
    }
    const domain = this.domainOf[nodeIndex]!;
    const before = this.counts[domain]!;
    this.#leave(before);
    this.counts[domain] = before + count;
    this.#enter(before + count);
    this.#settle();
  }

  domainAppeared(domain: number): void {
    this.#enter(this.counts[domain]!);
    this.#settle();
  }

  domainVanished(domain: number): void {
    this.#leave(this.counts[domain]!);
    this.#settle();
  }

  #enter(count: number): void {
    while (this.#histogram.length <= count) {
      this.#histogram.push(0);
    }
    this.#histogram[count]!++;
    if (count < this.#min) {
      this.#min = count;
    }
  }

  #leave(count: number): void {
    this.#histogram[count]!--;
  }

  #settle(): void {
    if (this.domains.size === 0) {
      this.#min = 0;
      return;
    }
    while (this.#histogram[this.#min] === 0) {
      this.#min++;
    }
  }
}
