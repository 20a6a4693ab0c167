import { describe, expect, test } from 'vitest';
import type { Node, Taint } from '../../../core/model/cluster/node.ts';
import { createApiServer } from '../../../simulation/cluster/api-server.ts';
import { conditionsOf, NOT_READY_TAINT } from '../../../simulation/cluster/node-readiness.ts';
import { AWAITING } from '../../../simulation/load/awaiting-pods.ts';
import { watchReadyNodes } from '../../../simulation/cluster/ready-nodes.ts';
import { node } from '../../builders.ts';

const nodeWith = (ready: boolean, taints: readonly Taint[], gpus = 0): Node =>
  node('a', { 'nvidia.com/gpu': gpus }, { taints, conditions: conditionsOf(ready, null) });

/** How often the webhook is called while a node is written so, one after another. */
function callsFor(nodes: readonly Node[]): number {
  const api = createApiServer();
  let calls = 0;
  watchReadyNodes(api, () => {
    calls += 1;
  });
  nodes.forEach(api.putNode);
  return calls;
}

describe('the API server calls the webhook for a node that awaits its pods', () => {
  test.each([
    ['when it becomes ready', [nodeWith(false, [AWAITING]), nodeWith(true, [AWAITING])], 1],
    [
      'when it is ready and the last taint of Kubernetes goes',
      [nodeWith(true, [AWAITING, NOT_READY_TAINT]), nodeWith(true, [AWAITING])],
      1,
    ],
    ['when it is ready and its devices are announced', [nodeWith(true, [AWAITING]), nodeWith(true, [AWAITING], 4)], 1],
    [
      'not for devices while it is not ready, or without the taint',
      [nodeWith(false, [AWAITING]), nodeWith(false, [AWAITING], 4), nodeWith(true, []), nodeWith(true, [], 8)],
      0,
    ],
    [
      'not while a taint of Kubernetes is left',
      [nodeWith(false, [AWAITING, NOT_READY_TAINT]), nodeWith(true, [AWAITING, NOT_READY_TAINT])],
      0,
    ],
    ['not for other writes', [nodeWith(true, [AWAITING]), nodeWith(true, [AWAITING])], 0],
    ['not when it is created', [nodeWith(true, [AWAITING])], 0],
    ['not without the taint', [nodeWith(false, []), nodeWith(true, [])], 0],
  ])('%s', (_, nodes, calls) => {
    expect(callsFor(nodes)).toBe(calls);
  });
});
