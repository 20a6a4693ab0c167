import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import {
  type Fields,
  type Manifest,
  integerIn,
  manifest,
  objectIn,
  optionalStringIn,
  timeIn,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { generationOf, partsOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const podDisruptionBudgetReader: Reader<PodDisruptionBudget> = (raw, place, problems) => {
  const { object, metadata, spec, at } = partsOf(raw, place, problems);
  const status = objectIn(object, 'status', place, problems);
  const atStatus = fieldOf(place, 'status');
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    selector: selectorIn(spec, 'selector', at, problems),
    disruptionsAllowed: integerIn(status, 'disruptionsAllowed', atStatus, problems) ?? 0,
    currentHealthy: integerIn(status, 'currentHealthy', atStatus, problems) ?? 0,
    desiredHealthy: integerIn(status, 'desiredHealthy', atStatus, problems) ?? 0,
    expectedPods: integerIn(status, 'expectedPods', atStatus, problems) ?? 0,
    unhealthyPodEvictionPolicy: optionalStringIn(spec, 'unhealthyPodEvictionPolicy', at, problems) ?? 'IfHealthyBudget',
    disruptedPods: disruptedPodsIn(status, atStatus, problems),
    generation: generationOf(metadata, problems),
    observedGeneration: integerIn(status, 'observedGeneration', atStatus, problems) ?? 0,
  };
};

const NONE: PodDisruptionBudget['disruptedPods'] = Object.freeze({});

function disruptedPodsIn(status: Fields, place: string, problems: Invalid[]): PodDisruptionBudget['disruptedPods'] {
  const raw = objectIn(status, 'disruptedPods', place, problems);
  const names = Object.keys(raw);
  if (names.length === 0) {
    return NONE;
  }
  const at = fieldOf(place, 'disruptedPods');
  return Object.fromEntries(names.map((name) => [name, timeIn(raw, name, at, problems)]));
}

/** Writes a budget as a manifest that reads as an equal one. */
export const writePodDisruptionBudget = (of: PodDisruptionBudget): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: writeMetadata({ namespace: of.namespace, name: of.name, generation: of.generation }),
  spec: manifest({
    selector: writeSelector(of.selector),
    unhealthyPodEvictionPolicy: of.unhealthyPodEvictionPolicy,
  }),
  status: manifest({
    observedGeneration: of.observedGeneration || null,
    disruptedPods: unlessEmpty(writeDisruptedPods(of.disruptedPods)),
    disruptionsAllowed: of.disruptionsAllowed,
    currentHealthy: of.currentHealthy,
    desiredHealthy: of.desiredHealthy,
    expectedPods: of.expectedPods,
  }),
});

const writeDisruptedPods = (pods: PodDisruptionBudget['disruptedPods']): Manifest =>
  Object.fromEntries(Object.entries(pods).map(([name, time]) => [name, mapOptional(time, formatTime)]));
