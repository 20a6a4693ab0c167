import { type NodeName, nodeName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { CsiNode, VolumeAttachment } from '../../../core/model/cluster/storage.ts';
import { type PodDisruptionBudget, unreadableBudget } from '../../../core/model/cluster/workloads.ts';
import type { Observed } from './observed.ts';
import { type Message, decodeMessage, message, nested, text } from '../protobuf/message.ts';
import type { Cursor } from '../protobuf/wire.ts';

/** What an object that cannot be read in full still means (docs/unreadable-objects.md). */
export interface Unreadable {
  /** The node that nothing may be decided about without it; `null`: none, or it does not say which. */
  readonly node: NodeName | null;
  /** What counts in its place, so that its absence permits nothing; `null`: it is left out. */
  readonly standIn: Observed | null;
}

const NOTHING: Unreadable = Object.freeze({ node: null, standIn: null });

/** @param item the object as far as it could be read: what could not is a default. */
export function meaningOf(kind: string, item: Observed): Unreadable {
  switch (kind) {
    case 'Pod':
      return { node: (item as Pod).nodeName, standIn: null };
    case 'Node': {
      const { name } = item as Node;
      // Without it its machine would look like one that never became a node.
      return name === '' ? NOTHING : { node: name, standIn: item };
    }
    case 'CSINode':
      // Without it the node looks as if any number of volumes could be attached.
      return { node: named((item as CsiNode).name), standIn: null };
    case 'VolumeAttachment':
      return { node: named((item as VolumeAttachment).nodeName), standIn: null };
    case 'PodDisruptionBudget':
      return {
        node: null,
        standIn: unreadableBudget((item as PodDisruptionBudget).namespace, (item as PodDisruptionBudget).name),
      };
    default:
      return NOTHING;
  }
}

const named = (name: string): NodeName | null => (name === '' ? null : nodeName(name));

const METADATA = nested(1, message({ name: text(1), namespace: text(3), uid: text(5) }));

/** The few fields that say what an object is about. */
const OUTLINE: Readonly<Record<string, Message>> = {
  Pod: message({ metadata: METADATA, spec: nested(2, message({ nodeName: text(10) })) }),
  Node: message({ metadata: METADATA, spec: nested(2, message({ providerID: text(3) })) }),
  VolumeAttachment: message({ metadata: METADATA, spec: nested(2, message({ nodeName: text(3) })) }),
};

const ONLY_NAME = message({ metadata: METADATA });

/**
 * Reads no more of an object than what it is about, where the rest of it is malformed.
 *
 * @throws WireError where not even that can be read.
 */
export const outlineOf = (kind: string, cursor: Cursor): unknown => decodeMessage(OUTLINE[kind] ?? ONLY_NAME, cursor);
