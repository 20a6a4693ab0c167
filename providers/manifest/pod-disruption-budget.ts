import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  integerIn,
  manifest,
  nameIn,
  objectIn,
  optionalStringIn,
  timeIn,
  unlessEmpty,
} from './fields.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const podDisruptionBudgetReader: SectionReader<PodDisruptionBudget> = (from) => {
  const { metadata, spec } = partsOf(from);
  const status = objectIn(from, 'status');
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    selector: selectorIn(spec, 'selector'),
    disruptionsAllowed: integerIn(status, 'disruptionsAllowed') ?? 0,
    currentHealthy: integerIn(status, 'currentHealthy') ?? 0,
    desiredHealthy: integerIn(status, 'desiredHealthy') ?? 0,
    expectedPods: integerIn(status, 'expectedPods') ?? 0,
    unhealthyPodEvictionPolicy: optionalStringIn(spec, 'unhealthyPodEvictionPolicy') ?? 'IfHealthyBudget',
    disruptedPods: disruptedPodsIn(status),
    generation: integerIn(metadata, 'generation') ?? 0,
    observedGeneration: integerIn(status, 'observedGeneration') ?? 0,
  };
};

const NONE: PodDisruptionBudget['disruptedPods'] = Object.freeze({});

function disruptedPodsIn(status: Section): PodDisruptionBudget['disruptedPods'] {
  const pods = objectIn(status, 'disruptedPods');
  const names = Object.keys(pods.fields);
  return names.length === 0 ? NONE : Object.fromEntries(names.map((name) => [name, timeIn(pods, name)]));
}

/** Writes a budget as a manifest that reads as an equal one. */
export const writePodDisruptionBudget = (of: PodDisruptionBudget): Manifest => ({
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
