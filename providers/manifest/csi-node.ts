import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { CsiNode } from '@outrigger/core/model/cluster/storage.ts';
import { type Manifest, integerIn, itemsReader, manifest, nameIn, objectIn, readFields, stringIn } from './fields.ts';
import { type Reader, fieldOf } from './invalid.ts';
import { annotationsOf, partsOf, nameOf, writeMetadata } from './metadata.ts';

const readDriver: Reader<CsiNode['drivers'][number]> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  const allocatable = objectIn(fields, 'allocatable', place, problems);
  return {
    name: nameIn(fields, 'name', place, problems),
    nodeId: stringIn(fields, 'nodeID', place, problems),
    count: integerIn(allocatable, 'count', fieldOf(place, 'allocatable'), problems),
  };
};

const driversIn = itemsReader(readDriver);

export const csiNodeReader: Reader<CsiNode> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  return {
    name: nodeName(nameOf(metadata, problems)),
    annotations: annotationsOf(metadata, problems),
    drivers: driversIn(spec, 'drivers', at, problems),
  };
};

/** Writes a CSINode as a manifest that reads as an equal one. */
export const writeCsiNode = (of: CsiNode): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: writeMetadata(of),
  spec: {
    drivers: of.drivers.map(({ name, nodeId, count }) =>
      manifest({ name, nodeID: nodeId, allocatable: mapOptional(count, (most) => ({ count: most })) }),
    ),
  },
});
