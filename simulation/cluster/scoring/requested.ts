import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { specRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import type { Container, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';

/** Assumed requests of a container that names none, so that such pods do not heap up on one node. */
const MISSING = { [CPU]: 100, [MEMORY]: 200 * 2 ** 20 };

/** CPU in milli, memory in bytes. */
export interface Share {
  readonly cpu: number;
  readonly memory: number;
}

/**
 * The requests of a pod in the score of free resources, with stand-ins for containers that name none. Follows
 * `calculatePodResourceRequest` of plugins/noderesources.
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
  containers: spec.containers.map(withAll),
  initContainers: spec.initContainers.map(withAll),
});

const withAll = (container: Container): Container => ({
  ...container,
  requests: { ...MISSING, ...container.requests },
});

/** Sum of the stand-ins on each node, beyond the requests of its pods. */
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
      placed: (kind, { index }, count) => {
        const { cpu, memory } = (this.#byKind[kind.id] ??= standInsOf(kind));
        this.#cpu[index]! += cpu * count;
        this.#memory[index]! += memory * count;
      },
    });
  }

  cpu(nodeIndex: number): number {
    return itemAt(this.#cpu, nodeIndex);
  }

  memory(nodeIndex: number): number {
    return itemAt(this.#memory, nodeIndex);
  }
}

function standInsOf(kind: PodKind): Share {
  const { cpu, memory } = countedRequests(kind);
  return { cpu: cpu - (kind.requests[CPU] ?? 0), memory: memory - (kind.requests[MEMORY] ?? 0) };
}
