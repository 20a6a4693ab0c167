import type { PodTemplate } from '../../core/model/cluster/capacity-buffer.ts';
import { NEW_POD, type Pod, type PodSpec } from '../../core/model/cluster/pod.ts';
import { type Fields, type Manifest, manifest, objectIn, readFields, stringIn, unlessEmpty } from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { annotationsOf, generationOf, labelsOf, metadataOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';
import { readPodSpec, writePodSpec } from './pod-spec.ts';

export const podTemplateReader: Reader<PodTemplate> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const [namespace, name] = [namespaceOf(metadata, problems), nameOf(metadata, problems)];
  const template = objectIn(object, 'template', place, problems);
  const at = fieldOf(place, 'template');
  const priorityClass = stringIn(
    objectIn(template, 'spec', at, []),
    'priorityClassName',
    fieldOf(at, 'spec'),
    problems,
  );
  return {
    namespace,
    name,
    generation: generationOf(metadata, problems),
    pod: templatePod({ namespace, name }, template, at, problems),
    ...(priorityClass !== '' && { priorityClass }),
  };
};

/** A pod of a template, before it is bound, and without a controller. */
export function templatePod(
  { namespace, name }: Pick<Pod, 'namespace' | 'name'>,
  template: Fields,
  at: string,
  problems: Invalid[],
  readSpec: Reader<PodSpec> = readPodSpec,
): Pod {
  const metadata = metadataOf(template, at, problems);
  return {
    namespace,
    name,
    uid: '',
    labels: labelsOf(metadata, problems),
    annotations: annotationsOf(metadata, problems),
    createdAt: null,
    controller: null,
    ...NEW_POD,
    spec: readSpec(objectIn(template, 'spec', at, problems), fieldOf(at, 'spec'), problems),
  };
}

/** Writes a template of pods without a controller's name. */
export const writePodTemplateSpec = ({ labels, annotations, spec }: Pod, priorityClassName?: string): Manifest => ({
  metadata: manifest({ labels: unlessEmpty(labels), annotations: unlessEmpty(annotations) }),
  spec: { ...(priorityClassName !== undefined && { priorityClassName }), ...writePodSpec(spec, null) },
});

/** Writes a template as a manifest that reads as an equal one. */
export const writePodTemplate = (of: PodTemplate): Manifest => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: writeMetadata({ namespace: of.namespace, name: of.name, generation: of.generation }),
  template: writePodTemplateSpec(of.pod, of.priorityClass),
});
