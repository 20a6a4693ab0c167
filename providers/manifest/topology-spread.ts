import type { TopologySpreadConstraint } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Manifest,
  type SectionReader,
  integerIn,
  manifest,
  nameIn,
  optionalStringIn,
  stringsReader,
} from './fields.ts';
import { MOST_READ } from './most-read.ts';
import { podSelectorIn, writeSelector } from './selectors.ts';

const labelKeysIn = stringsReader(MOST_READ.requirements);

/** Reads one of `topologySpreadConstraints`, with the API server's defaults. */
export const readTopologySpread: SectionReader<TopologySpreadConstraint> = (from) => ({
  maxSkew: integerIn(from, 'maxSkew') ?? 1,
  topologyKey: nameIn(from, 'topologyKey'),
  whenUnsatisfiable: optionalStringIn(from, 'whenUnsatisfiable') ?? 'DoNotSchedule',
  labelSelector: podSelectorIn(from, 'labelSelector'),
  minDomains: integerIn(from, 'minDomains'),
  nodeAffinityPolicy: optionalStringIn(from, 'nodeAffinityPolicy') ?? 'Honor',
  nodeTaintsPolicy: optionalStringIn(from, 'nodeTaintsPolicy') ?? 'Ignore',
  matchLabelKeys: labelKeysIn(from, 'matchLabelKeys'),
});

export const writeTopologySpread = (constraint: TopologySpreadConstraint): Manifest =>
  manifest({ ...constraint, labelSelector: writeSelector(constraint.labelSelector) });
