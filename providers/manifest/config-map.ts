import { PRIORITY_CONFIG_MAP } from '@outrigger/core/model/cluster/priorities.ts';
import type { ConfigMap } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, labelsIn, readFields } from './fields.ts';
import type { Reader } from './invalid.ts';
import { metadataOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';
import { readPriorityTiers } from './priority-tiers.ts';

export const configMapReader: Reader<ConfigMap> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const namespace = namespaceOf(metadata, problems);
  const name = nameOf(metadata, problems);
  const sound = problems.length;
  const data = labelsIn(object, 'data', place, problems);
  // The options determine which namespace's ConfigMap is used.
  const tellsPriorities = name === PRIORITY_CONFIG_MAP.name;
  return {
    namespace,
    name,
    data,
    priorities: tellsPriorities && problems.length === sound ? readPriorityTiers(data) : null,
  };
};

/** Writes a ConfigMap as a manifest that reads as an equal one. */
export const writeConfigMap = (of: ConfigMap): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: writeMetadata({ namespace: of.namespace, name: of.name }),
  data: of.data,
});
