import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import type { NodeMatcher } from '../node-selector.ts';
import { NO_DOMAIN, type Topology } from './topology.ts';

/** The existing nodes that count: nodes that a condition on labels and taints lets in. */
export class NodeSet {
  /** By the node's index. */
  readonly has: boolean[] = [];
  readonly #accepts: NodeMatcher;
  readonly #domains: DomainSet[] = [];

  constructor(accepts: NodeMatcher) {
    this.#accepts = accepts;
  }

  nodeAdded(info: NodeInfo): void {
    const accepted = this.#accepts(info.node);
    this.has[info.index] = accepted;
    if (accepted) {
      for (const domains of this.#domains) {
        domains.add(info.index, 1);
      }
    }
  }

  nodeRemoved(info: NodeInfo): void {
    if (this.has[info.index]!) {
      this.has[info.index] = false;
      for (const domains of this.#domains) {
        domains.add(info.index, -1);
      }
    }
  }

  /** The domains that these nodes make up; one object for each topology. */
  domains(topology: Topology): DomainSet {
    let found = this.#domains.find((domains) => domains.topology === topology);
    if (found === undefined) {
      found = new DomainSet(topology);
      for (const index of this.has.keys()) {
        if (this.has[index] === true) {
          found.add(index, 1);
        }
      }
      this.#domains.push(found);
    }
    return found;
  }
}

/** The domains of a topology that have at least one node of a set. */
export class DomainSet {
  readonly topology: Topology;
  /** Nodes by domain. */
  readonly nodes: number[] = [];
  /** How many domains have a node. */
  size = 0;
  readonly #watchers: DomainWatcher[] = [];

  constructor(topology: Topology) {
    this.topology = topology;
    topology.eachDomain(() => this.nodes.push(0));
  }

  watch(watcher: DomainWatcher): void {
    this.#watchers.push(watcher);
  }

  add(nodeIndex: number, change: 1 | -1): void {
    const domain = this.topology.domainOf[nodeIndex]!;
    if (domain === NO_DOMAIN) {
      return;
    }
    const before = this.nodes[domain]!;
    this.nodes[domain] = before + change;
    if (before === 0 && change === 1) {
      this.size++;
      for (const watcher of this.#watchers) {
        watcher.domainAppeared(domain);
      }
    } else if (before === 1 && change === -1) {
      this.size--;
      for (const watcher of this.#watchers) {
        watcher.domainVanished(domain);
      }
    }
  }
}

export interface DomainWatcher {
  domainAppeared(domain: number): void;
  domainVanished(domain: number): void;
}
