import { abandonedMarkers } from '@outrigger/core/drain/stray-markers.ts';
import { withoutMarkers } from '@outrigger/core/drain/removal-markers.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import { isFillTaint } from '@outrigger/core/model/cluster/fill-taints.ts';
import { DELETION_CANDIDATE_TAINT, type Node, TO_BE_DELETED_TAINT } from '@outrigger/core/model/cluster/node.ts';
import { isRemovalTaint, UNNEEDED_SINCE_ANNOTATION } from '@outrigger/core/model/cluster/removal-taints.ts';
import { defaultOptions } from '@outrigger/core/model/options.ts';
import { softTaintChanges } from '@outrigger/core/scaledown/soft-taints.ts';
import { NODES } from '@outrigger/providers/kubernetes/read/kinds.ts';
import { listAll } from '@outrigger/providers/kubernetes/read/list.ts';
import { createClusterWriter } from '@outrigger/providers/kubernetes/writer.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { stepDone, skipped, StepError, type StepResult, unchanged, would } from '../journal.ts';
import type { InstallPlace } from '../place.ts';

const PAGE = 500;

/**
 * Takes off what Outrigger has put on nodes: taints, cordons, labels and annotations of drains that are not driven any
 * more, and soft taints.
 *
 * @param drains listed after the last of them was stopped; `null`: nothing is known of them, so that a marked node may be on
 *   its way out, and is left as it is
 */
export async function freeNodes(
  { transport, access: { now } }: InstallPlace,
  drains: readonly StoredDrain[] | null,
  dryRun: boolean,
): Promise<StepResult<null>> {
  const nodes = (await listAll(transport, NODES, { pageSize: PAGE })).items as readonly Node[];
  const marked = abandonedMarkers(nodes, drains ?? []);
  const freed = drains === null ? [] : marked;
  const changes = [
    ...freed.map((node) => ({ node: node.name, uid: node.uid, change: withoutMarkers(node) })),
    // As they are without the markers: a node that is being removed keeps its soft taint.
    ...softTaintChanges(
      nodes.filter(hasSoftTaint).map((node) => (freed.includes(node) ? withoutRemoval(node) : node)),
      {},
      { ...defaultOptions(), maxBulkSoftTaintCount: nodes.length },
    ),
  ];
  const names = [...new Set(changes.map(({ node }) => node))].join(', ');
  const rest = textIf(drains === null && marked.length > 0, ` ${unknownOf(marked)}`);
  if (names === '' && rest === '') {
    return unchanged('No node bears a taint of Outrigger.', null);
  }
  if (names === '') {
    return skipped(rest.trim(), null);
  }
  if (dryRun) {
    return would(`Would take the taints of Outrigger off ${names}.${rest}`, null);
  }
  const writer = createClusterWriter(transport, { now, warn: () => {} });
  for (const { node, uid, change } of changes) {
    const outcome = await writer.changeNode(node, uid, change);
    if (outcome.kind === 'failed') {
      throw new StepError(`The taints of node ${node} could not be taken off: ${outcome.message}`);
    }
  }
  return stepDone(`The taints of Outrigger are off ${names}.${rest}`, null);
}

const withoutRemoval = (node: Node): Node => ({
  ...node,
  taints: node.taints.filter((taint) => !isRemovalTaint(taint)),
});

const unknownOf = (nodes: readonly Node[]): string =>
  `Of ${nodes.map(({ name }) => name).join(', ')} it is not known whether the instances are being ended; where they are not: ` +
  `kubectl taint nodes NAME ${TO_BE_DELETED_TAINT}- and kubectl uncordon NAME.`;

/**
 * Is one of these taints on the node: the taint shared with Cluster Autoscaler, which adds its own again; the taint
 * with Outrigger's annotation; or a taint of Outrigger's own?
 */
const hasSoftTaint = ({ taints, annotations }: Node): boolean =>
  taints.some((taint) => taint.key === DELETION_CANDIDATE_TAINT || isFillTaint(taint)) ||
  UNNEEDED_SINCE_ANNOTATION in annotations;
