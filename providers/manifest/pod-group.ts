import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PodGroup } from '@outrigger/core/model/cluster/pod-group.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  integerIn,
  listIn,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
} from './fields.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';

export const podGroupReader: SectionReader<PodGroup> = (from) => {
  const { metadata, spec } = partsOf(from);
  const policy = objectIn(spec, 'schedulingPolicy');
  const gang = optionalObjectIn(policy, 'gang');
  const mode = objectIn(spec, 'disruptionMode');
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    minCount: mapOptional(gang, (of) => integerIn(of, 'minCount') ?? 1) ?? 0,
    disruptedTogether: optionalObjectIn(mode, 'all') !== null,
    notSimulated: notSimulatedIn(spec),
  };
};

/** Topology, claims of devices, and groups of groups are of alpha gates, or depend on devices. */
function notSimulatedIn(spec: Section): string | null {
  const constraints = objectIn(spec, 'schedulingConstraints');
  if (listIn(constraints, 'topology').length > 0) {
    return 'spec.schedulingConstraints';
  }
  if (listIn(spec, 'resourceClaims').length > 0) {
    return 'spec.resourceClaims';
  }
  return spec.fields['parentCompositePodGroupName'] == null ? null : 'spec.parentCompositePodGroupName';
}

/** Fields that are written for a PodGroup that is not simulated: they read as the same field. */
const NOT_SIMULATED: Readonly<Record<string, Manifest>> = {
  'spec.schedulingConstraints': { schedulingConstraints: { topology: [{}] } },
  'spec.resourceClaims': { resourceClaims: [{}] },
  'spec.parentCompositePodGroupName': { parentCompositePodGroupName: 'parent' },
};

/** Writes a PodGroup as a manifest that reads as an equal one. */
export const writePodGroup = (of: PodGroup): Manifest => ({
  metadata: writeMetadata(of),
  spec: manifest({
    schedulingPolicy: of.minCount === 0 ? { basic: {} } : { gang: { minCount: of.minCount } },
    disruptionMode: of.disruptedTogether ? { all: {} } : null,
    ...NOT_SIMULATED[of.notSimulated ?? ''],
  }),
});
