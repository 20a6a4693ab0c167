import type { TopologySpreadConstraint } from '@outrigger/core/model/cluster/pod.ts';
import { type Manifest, integerIn, manifest, nameIn, readFields, optionalStringIn, stringsReader } from './fields.ts';
import type { Reader } from './invalid.ts';
import { MOST_READ } from './most-read.ts';
import { podSelectorIn, writeSelector } from './selectors.ts';

const labelKeysIn = stringsReader(MOST_READ.requirements);

/** Reads one of `topologySpreadConstraints`, with the API server's defaults. */
export const readTopologySpread: Reader<TopologySpreadConstraint> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    maxSkew: integerIn(fields, 'maxSkew', place, problems) ?? 1,
    topologyKey: nameIn(fields, 'topologyKey', place, problems),
    whenUnsatisfiable: optionalStringIn(fields, 'whenUnsatisfiable', place, problems) ?? 'DoNotSchedule',
    labelSelector: podSelectorIn(fields, 'labelSelector', place, problems),
    minDomains: integerIn(fields, 'minDomains', place, problems),
    nodeAffinityPolicy: optionalStringIn(fields, 'nodeAffinityPolicy', place, problems) ?? 'Honor',
    nodeTaintsPolicy: optionalStringIn(fields, 'nodeTaintsPolicy', place, problems) ?? 'Ignore',
    matchLabelKeys: labelKeysIn(fields, 'matchLabelKeys', place, problems),
  };
};

export const writeTopologySpread = (constraint: TopologySpreadConstraint): Manifest =>
  manifest({ ...constraint, labelSelector: writeSelector(constraint.labelSelector) });
