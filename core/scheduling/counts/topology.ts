import type { NodeInfo } from '../../model/snapshot/snapshot.ts';

/** Stands for: the node does not carry the label. */
export const NO_DOMAIN = -1;

/** The domains that one label key divides the nodes into, numbered from 0 as their values were first seen. */
export class Topology {
  readonly key: string;
  /** Domain by the node's index; `NO_DOMAIN` where the node lacks the label. */
  readonly domainOf: number[] = [];
  /** Called for each new domain, so that counts by domain have a place for it. */
  readonly #onDomain: (() => void)[] = [];
  readonly #byValue = new Map<string, number>();

  constructor(key: string) {
    this.key = key;
  }

  get size(): number {
    return this.#byValue.size;
  }

  nodeAdded(info: NodeInfo): void {
    const value = info.node.labels[this.key];
    this.domainOf[info.index] = typeof value === 'string' ? this.#domain(value) : NO_DOMAIN;
  }

  /** Calls for each existing domain, and later for each new domain, in the order of their numbers. */
  eachDomain(call: () => void): void {
    for (let i = 0; i < this.size; i++) {
      call();
    }
    this.#onDomain.push(call);
  }

  #domain(value: string): number {
    let domain = this.#byValue.get(value);
    if (domain === undefined) {
      domain = this.#byValue.size;
      this.#byValue.set(value, domain);
      for (const call of this.#onDomain) {
        call();
      }
    }
    return domain;
  }
}
