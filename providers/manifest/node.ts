import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nonEmpty } from '@outrigger/core/model/values/present.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { Node, NodeCondition } from '@outrigger/core/model/cluster/node.ts';
import { NO_RESOURCES } from '@outrigger/core/model/values/resources.ts';
import {
  type Manifest,
  booleanIn,
  itemsReader,
  manifest,
  objectIn,
  optionalNameIn,
  readFields,
  stringIn,
  stringsReader,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { wholeAmountsIn, writeAmounts } from './amounts.ts';
import { MOST_READ } from './most-read.ts';
import { type Reader, fieldOf } from './invalid.ts';
import {
  annotationsOf,
  createdAtOf,
  deletedAtOf,
  labelsOf,
  partsOf,
  nameOf,
  uidOf,
  writeMetadata,
} from './metadata.ts';
import { taintsIn, writeTaint } from './taints.ts';

const readCondition: Reader<NodeCondition> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    type: stringIn(fields, 'type', place, problems),
    status: stringIn(fields, 'status', place, problems),
    reason: stringIn(fields, 'reason', place, problems),
    since: timeIn(fields, 'lastTransitionTime', place, problems),
  };
};

const conditionsIn = itemsReader(readCondition);
const featuresIn = stringsReader(MOST_READ.values);

export const nodeReader: Reader<Node> = (raw, place, problems) => {
  const { object, metadata, spec, at: atSpec } = partsOf(raw, place, problems);
  const status = objectIn(object, 'status', place, problems);
  const atStatus = fieldOf(place, 'status');
  const capacity = wholeAmountsIn(status, 'capacity', atStatus, problems);
  const allocatable = wholeAmountsIn(status, 'allocatable', atStatus, problems);
  const declaredFeatures = featuresIn(status, 'declaredFeatures', atStatus, problems);
  return {
    name: nodeName(nameOf(metadata, problems)),
    uid: uidOf(metadata, problems),
    labels: labelsOf(metadata, problems),
    annotations: annotationsOf(metadata, problems),
    createdAt: createdAtOf(metadata, problems),
    deletedAt: deletedAtOf(metadata, problems),
    providerId: optionalNameIn(spec, 'providerID', atSpec, problems),
    unschedulable: booleanIn(spec, 'unschedulable', atSpec, problems),
    taints: taintsIn(spec, 'taints', atSpec, problems),
    // The capacity is at least the allocatable: shares of a capacity of 0 would be 0.
    capacity: capacity ?? allocatable ?? NO_RESOURCES,
    // The API server's default for a node that reports only its capacity.
    allocatable: allocatable ?? capacity ?? NO_RESOURCES,
    conditions: conditionsIn(status, 'conditions', atStatus, problems),
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
