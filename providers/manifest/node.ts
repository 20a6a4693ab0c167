import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nonEmpty } from '@outrigger/core/model/values/present.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { Node, NodeCondition } from '@outrigger/core/model/cluster/node.ts';
import { NO_RESOURCES } from '@outrigger/core/model/values/resources.ts';
import {
  type Manifest,
  type SectionReader,
  booleanIn,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  optionalNameIn,
  stringIn,
  stringsReader,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';
import { wholeAmountsIn, writeAmounts } from './amounts.ts';
import { MOST_READ } from './most-read.ts';
import { taintsIn, writeTaint } from './taints.ts';

const readCondition: SectionReader<NodeCondition> = (from) => ({
  type: stringIn(from, 'type'),
  status: stringIn(from, 'status'),
  reason: stringIn(from, 'reason'),
  since: timeIn(from, 'lastTransitionTime'),
});

const conditionsIn = itemsReader(readCondition);
const featuresIn = stringsReader(MOST_READ.values);

export const nodeReader: SectionReader<Node> = (from) => {
  const { metadata, spec } = partsOf(from);
  const status = objectIn(from, 'status');
  const capacity = wholeAmountsIn(status, 'capacity');
  const allocatable = wholeAmountsIn(status, 'allocatable');
  const declaredFeatures = featuresIn(status, 'declaredFeatures');
  return {
    name: nodeName(nameIn(metadata, 'name')),
    uid: stringIn(metadata, 'uid'),
    labels: labelsIn(metadata, 'labels'),
    annotations: labelsIn(metadata, 'annotations'),
    createdAt: timeIn(metadata, 'creationTimestamp'),
    deletedAt: timeIn(metadata, 'deletionTimestamp'),
    providerId: optionalNameIn(spec, 'providerID'),
    unschedulable: booleanIn(spec, 'unschedulable'),
    taints: taintsIn(spec, 'taints'),
    // The capacity is at least the allocatable: shares of a capacity of 0 would be 0.
    capacity: capacity ?? allocatable ?? NO_RESOURCES,
    // The API server's default for a node that reports only its capacity.
    allocatable: allocatable ?? capacity ?? NO_RESOURCES,
    conditions: conditionsIn(status, 'conditions'),
    ...nonEmpty({ declaredFeatures }),
  };
};

const writeCondition = ({ type, status, reason, since }: NodeCondition): Manifest =>
  manifest({
    type: unlessBlank(type),
    status: unlessBlank(status),
    reason: unlessBlank(reason),
    lastTransitionTime: mapOptional(since, formatTime),
  });

/** Writes a node as a manifest that reads as an equal node. */
export const writeNode = (node: Node): Manifest => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: writeMetadata(node),
  spec: manifest({
    providerID: node.providerId,
    unschedulable: node.unschedulable || null,
    taints: node.taints.map(writeTaint),
  }),
  status: {
    ...manifest({ capacity: writeAmounts(node.capacity), allocatable: writeAmounts(node.allocatable) }),
    // Kept when empty: a node with an empty list of conditions is not ready, one without a list may be.
    conditions: node.conditions.map(writeCondition),
    ...manifest({ declaredFeatures: node.declaredFeatures ?? null }),
  },
});
