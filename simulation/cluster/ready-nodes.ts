import { isDeepStrictEqual } from 'node:util';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { isHeld } from '@outrigger/core/model/cluster/node-condition.ts';
import type { ApiServer } from './api-server.ts';
import { isSimulatedNodeReady } from './node-readiness.ts';

/**
 * Watches for writes that the API server calls the webhook `ready-node.outrigger.dev` for: a node that awaits its pods has become
 * ready for them, with its status or with the last taint that kept them off, or devices of one that is have been announced. By the conditions of the webhook's
 * manifest.
 */
export function watchReadyNodes(api: Pick<ApiServer, 'watch'>, onReady: (node: Node) => void): void {
  api.watch({
    node: (node, before) => {
      if (
        before !== null &&
        isHeld(node) &&
        isSimulatedNodeReady(node) &&
        !hasNodeTaint(node) &&
        wasNot(before, node)
      ) {
        onReady(node);
      }
    },
  });
}

const wasNot = (before: Node, { taints, allocatable }: Node): boolean =>
  !isSimulatedNodeReady(before) ||
  before.taints.length > taints.length ||
  !isDeepStrictEqual(before.allocatable, allocatable);

/** A taint of Kubernetes' own, for a condition of the node. */
const hasNodeTaint = ({ taints }: Node): boolean =>
  taints.some(
    ({ key }) => key.startsWith('node.kubernetes.io/') || key.startsWith('node.cloudprovider.kubernetes.io/'),
  );
