import { specRequests } from '../../model/cluster/pod-requests.ts';
import type { Container, PodSpec } from '../../model/cluster/pod.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';

/** What a container is taken for that does not say what it asks for, so that such pods do not heap up on one node. */
const MISSING = { [CPU]: 100, [MEMORY]: 200 * 2 ** 20 };

/** CPU in milli, memory in bytes. */
export interface Share {
  readonly cpu: number;
  readonly memory: number;
}

/**
 * What a pod counts for in the score of free resources: its requests, with stand-ins for containers that name none.
 * Follows `calculatePodResourceRequest` of plugins/noderesources.
 */
export function countedRequests({ spec, requests }: PodKind): Share {
  const counted = namesAll(spec) ? requests : specRequests(withMissing(spec));
  return { cpu: counted[CPU] ?? 0, memory: counted[MEMORY] ?? 0 };
}

const names = ({ requests }: Container): boolean => CPU in requests && MEMORY in requests;

const namesAll = ({ containers, initContainers }: PodSpec): boolean =>
  containers.every(names) && initContainers.every(names);

const withMissing = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map((container) => ({ ...container, requests: { ...MISSING, ...container.requests } })),
  initContainers: spec.initContainers.map((container) => ({
    ...container,
    requests: { ...MISSING, ...container.requests },
  })),
});

/** What the stand-ins on each node come to, beyond what its pods ask for. */
export class StandIns {
  readonly #byKind: (Share | undefined)[] = [];
  readonly #cpu: number[] = [];
  readonly #memory: number[] = [];

  constructor(snapshot: Snapshot) {
    snapshot.observe({
      nodeAdded: ({ index }) => {
        this.#cpu[index] = 0;
        this.#memory[index] = 0;
      },
      placed: (kind, info, count) => this.#add(kind, info, count),
      removed: (kind, info, count) => this.#add(kind, info, -count),
    });
  }

  cpu(nodeIndex: number): number {
    return this.#cpu[nodeIndex]!;
  }

  memory(nodeIndex: number): number {
    return this.#memory[nodeIndex]!;
  }

  #add(kind: PodKind, { index }: NodeInfo, count: number): void {
    const { cpu, memory } = (this.#byKind[kind.id] ??= standInsOf(kind));
    this.#cpu[index]! += cpu * count;
    this.#memory[index]! += memory * count;
  }
}

function standInsOf(kind: PodKind): Share {
  const { cpu, memory } = countedRequests(kind);
  return { cpu: cpu - (kind.requests[CPU] ?? 0), memory: memory - (kind.requests[MEMORY] ?? 0) };
}
