import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PodGroup } from '@outrigger/core/model/cluster/pod-group.ts';
import { type Fields, integerIn, listIn, type Manifest, manifest, objectIn, optionalObjectIn } from './fields.ts';
import { fieldOf, type Invalid, type Reader } from './invalid.ts';
import { nameOf, namespaceOf, partsOf, writeMetadata } from './metadata.ts';

export const podGroupReader: Reader<PodGroup> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  const policy = objectIn(spec, 'schedulingPolicy', at, problems);
  const gang = optionalObjectIn(policy, 'gang', fieldOf(at, 'schedulingPolicy'), problems);
  const mode = objectIn(spec, 'disruptionMode', at, problems);
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    minCount: mapOptional(gang, (of) => integerIn(of, 'minCount', `${at}.schedulingPolicy.gang`, problems) ?? 1) ?? 0,
    disruptedTogether: optionalObjectIn(mode, 'all', fieldOf(at, 'disruptionMode'), problems) !== null,
    notSimulated: notSimulatedIn(spec, at, problems),
  };
};

/** Topology, claims of devices, and groups of groups are of alpha gates, or depend on devices. */
function notSimulatedIn(spec: Fields, place: string, problems: Invalid[]): string | null {
  const constraints = objectIn(spec, 'schedulingConstraints', place, problems);
  if (listIn(constraints, 'topology', fieldOf(place, 'schedulingConstraints'), problems).length > 0) {
    return 'spec.schedulingConstraints';
  }
  if (listIn(spec, 'resourceClaims', place, problems).length > 0) {
    return 'spec.resourceClaims';
  }
  return spec['parentCompositePodGroupName'] == null ? null : 'spec.parentCompositePodGroupName';
}

/** Fields that are written for a PodGroup that is not simulated: they read as the same field. */
const NOT_SIMULATED: Readonly<Record<string, Manifest>> = {
  'spec.schedulingConstraints': { schedulingConstraints: { topology: [{}] } },
  'spec.resourceClaims': { resourceClaims: [{}] },
  'spec.parentCompositePodGroupName': { parentCompositePodGroupName: 'parent' },
};

/** Writes a PodGroup as a manifest that reads as an equal one. */
export const writePodGroup = (of: PodGroup): Manifest => ({
  apiVersion: 'scheduling.k8s.io/v1beta1',
  kind: 'PodGroup',
  metadata: writeMetadata(of),
  spec: manifest({
    schedulingPolicy: of.minCount === 0 ? { basic: {} } : { gang: { minCount: of.minCount } },
    disruptionMode: of.disruptedTogether ? { all: {} } : null,
    ...NOT_SIMULATED[of.notSimulated ?? ''],
  }),
});
