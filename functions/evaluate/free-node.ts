import { freedEvent } from '@outrigger/core/drain/freed-node.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { NodeChange } from '@outrigger/core/model/cluster/node-change.ts';
import type { LogFields } from '@outrigger/core/ports/observability.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Takes removal markers off a node, and records that.
 *
 * @param words of the log line, after `node <name>`, and of the event
 * @returns whether the node is free
 */
export async function freeNode(
  { services: { log }, cluster: { name, writer }, signal }: ClusterRun,
  node: Node,
  change: NodeChange,
  words: { readonly log: string; readonly event: string; readonly fields: LogFields },
): Promise<boolean> {
  const outcome = await writer.changeNode(node.name, node.uid, change, signal);
  log.warn(`${name}: node ${node.name} ${words.log}`, { ...words.fields, outcome });
  if (outcome.kind === 'done') {
    await writer.recordEvent(freedEvent(node, words.event), signal);
  }
  return outcome.kind === 'done';
}
