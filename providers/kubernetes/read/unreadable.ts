import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { ExcludedNode, ExcludedNodeReason } from '@outrigger/core/model/scenario.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { CsiNode, VolumeAttachment } from '@outrigger/core/model/cluster/storage.ts';
import { type PodDisruptionBudget, unreadablePdb } from '@outrigger/core/model/cluster/workloads.ts';
import type { ObservedObject } from './observed.ts';
import { type MessageFields, decodeMessage, message, nested, text } from '../protobuf/message.ts';
import type { Cursor } from '../protobuf/wire.ts';

/** The effect of an object that cannot be read in full (docs/unreadable-objects.md). */
export interface Unreadable {
  /** The node that is excluded because of it; `null`: none, or not known. */
  readonly excludes: Pick<ExcludedNode, 'node' | 'reason'> | null;
  /** The object's substitute, so that its absence permits nothing; `null`: the object is left out. */
  readonly standIn: ObservedObject | null;
}

const NOTHING: Unreadable = Object.freeze({ excludes: null, standIn: null });

/** @param item the object as far as it could be read: what could not is a default. */
export function meaningOf(kind: string, item: ObservedObject): Unreadable {
  switch (kind) {
    case 'Pod':
      return { excludes: excluding((item as Pod).nodeName ?? '', 'UnreadablePod'), standIn: null };
    case 'Node': {
      const { name } = item as Node;
      // Without the substitute, the node's instance would count as one that never became a node.
      return name === '' ? NOTHING : { excludes: excluding(name, 'UnreadableNode'), standIn: item };
    }
    case 'CSINode':
      // Without it the node would have no limit of volumes.
      return { excludes: excluding((item as CsiNode).name, 'UnreadableCSINode'), standIn: null };
    case 'VolumeAttachment':
      return {
        excludes: excluding((item as VolumeAttachment).nodeName, 'UnreadableVolumeAttachment'),
        standIn: null,
      };
    case 'PodDisruptionBudget':
      return {
        excludes: null,
        standIn: unreadablePdb((item as PodDisruptionBudget).namespace, (item as PodDisruptionBudget).name),
      };
    default:
      return NOTHING;
  }
}

const excluding = (node: string, reason: ExcludedNodeReason): Unreadable['excludes'] =>
  node === '' ? null : { node: nodeName(node), reason };

const METADATA = nested(1, message({ name: text(1), namespace: text(3), uid: text(5) }));

/** The fields that identify an object's subject. */
const OUTLINE: Readonly<Record<string, MessageFields>> = {
  Pod: message({ metadata: METADATA, spec: nested(2, message({ nodeName: text(10) })) }),
  Node: message({ metadata: METADATA, spec: nested(2, message({ providerID: text(3) })) }),
  VolumeAttachment: message({ metadata: METADATA, spec: nested(2, message({ nodeName: text(3) })) }),
};

const ONLY_NAME = message({ metadata: METADATA });

/**
 * Reads only an object's subject, where the rest of it is malformed.
 *
 * @throws WireError where not even that can be read.
 */
export const outlineOf = (kind: string, cursor: Cursor): unknown => decodeMessage(OUTLINE[kind] ?? ONLY_NAME, cursor);
