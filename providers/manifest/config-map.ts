import { PRIORITY_CONFIG_MAP } from '@outrigger/core/model/cluster/priorities.ts';
import type { ConfigMap } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, type SectionReader, labelsIn, nameIn, objectIn } from './fields.ts';
import { namespaceOf, writeMetadata } from './metadata.ts';
import { readPriorityTiers } from './priority-tiers.ts';

export const configMapReader: SectionReader<ConfigMap> = (from) => {
  const object = from;
  const metadata = objectIn(from, 'metadata');
  const namespace = namespaceOf(metadata);
  const name = nameIn(metadata, 'name');
  const sound = from.problems.length;
  const data = labelsIn(object, 'data');
  // The options determine which namespace's ConfigMap is used.
  const tellsPriorities = name === PRIORITY_CONFIG_MAP.name;
  return {
    namespace,
    name,
    data,
    priorities: tellsPriorities && from.problems.length === sound ? readPriorityTiers(data) : null,
  };
};

/** Writes a ConfigMap as a manifest that reads as an equal one. */
export const writeConfigMap = (of: ConfigMap): Manifest => ({
  metadata: writeMetadata({ namespace: of.namespace, name: of.name }),
  data: of.data,
});
