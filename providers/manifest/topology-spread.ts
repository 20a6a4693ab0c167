import type { TopologySpreadConstraint } from '@outrigger/core/model/cluster/pod.ts';
import { type Manifest, integerIn, manifest, nameIn, readFields, stringIn, stringsIn } from './fields.ts';
import type { Reader } from './invalid.ts';
import { MOST_READ } from './most-read.ts';
import { podSelectorIn, writeSelector } from './selectors.ts';

/** Reads one of `topologySpreadConstraints`, with the API server's defaults. */
export const readTopologySpread: Reader<TopologySpreadConstraint> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    maxSkew: integerIn(fields, 'maxSkew', place, problems, 1),
    topologyKey: nameIn(fields, 'topologyKey', place, problems),
    whenUnsatisfiable: stringIn(fields, 'whenUnsatisfiable', place, problems, 'DoNotSchedule'),
    labelSelector: podSelectorIn(fields, 'labelSelector', place, problems),
    minDomains: integerIn(fields, 'minDomains', place, problems, null),
    nodeAffinityPolicy: stringIn(fields, 'nodeAffinityPolicy', place, problems, 'Honor'),
    nodeTaintsPolicy: stringIn(fields, 'nodeTaintsPolicy', place, problems, 'Ignore'),
    matchLabelKeys: stringsIn(fields, 'matchLabelKeys', place, problems, MOST_READ.requirements),
  };
};

export const writeTopologySpread = (constraint: TopologySpreadConstraint): Manifest =>
  manifest({ ...constraint, labelSelector: writeSelector(constraint.labelSelector) });
