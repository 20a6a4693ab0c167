import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { CsiNode } from '@outrigger/core/model/cluster/storage.ts';
import {
  type Manifest,
  type SectionReader,
  integerIn,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  stringIn,
} from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';

const readDriver: SectionReader<CsiNode['drivers'][number]> = (from) => {
  const allocatable = objectIn(from, 'allocatable');
  return {
    name: nameIn(from, 'name'),
    nodeId: stringIn(from, 'nodeID'),
    count: integerIn(allocatable, 'count'),
  };
};

const driversIn = itemsReader(readDriver);

export const csiNodeReader: SectionReader<CsiNode> = (from) => {
  const { metadata, spec } = partsOf(from);
  return {
    name: nodeName(nameIn(metadata, 'name')),
    annotations: labelsIn(metadata, 'annotations'),
    drivers: driversIn(spec, 'drivers'),
  };
};

/** Writes a CSINode as a manifest that reads as an equal one. */
export const writeCsiNode = (of: CsiNode): Manifest => ({
  metadata: writeMetadata(of),
  spec: {
    drivers: of.drivers.map(({ name, nodeId, count }) =>
      manifest({ name, nodeID: nodeId, allocatable: mapOptional(count, (most) => ({ count: most })) }),
    ),
  },
});
